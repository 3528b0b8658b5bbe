/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/event-stream.h"

#include <errno.h>

void event_stream_init(struct event_stream *stream, struct event_table *table, bool plain,
		       user_calls_taker *take, void *data)
{
	*stream = (struct event_stream){
		.reader = { .table = table, .plain = plain },
		.join = { .reader = &stream->reader, .sparse = probe_join_is_sparse(table) },
		.users = { .users = table->users },
		.joins = !plain && probe_join_is_needed(table),
		.probes_are_calls = true,
		.take = take,
		.data = data,
	};
}

static void event_stream_hand_on(struct event_stream *stream, struct decoded_event *decoded)
{
	if (stream->probes_are_calls)
		probe_calls_turn(&stream->probes, decoded);
	exec_pids_feed(&stream->execs, decoded);
	user_calls_feed(&stream->users, decoded, stream->take, stream->data);
}

static void hand_on_held(struct event_stream *stream)
{
	struct decoded_event decoded;

	while (!stream->stop && probe_join_next(&stream->join, &decoded))
		event_stream_hand_on(stream, &decoded);
}

void event_stream_put(struct event_stream *stream, const struct fathom_event *event)
{
	struct decoded_event decoded;

	event_decoder_read(&stream->reader, event, &decoded);
	if (stream->joins && probe_join_put(&stream->join, &decoded)) {
		hand_on_held(stream);
		return;
	}
	event_stream_hand_on(stream, &decoded);
}

int event_stream_end(struct event_stream *stream)
{
	probe_join_end(&stream->join);
	hand_on_held(stream);
	return stream->reader.nomem || stream->probes.nomem || stream->join.nomem ||
			       stream->execs.nomem || stream->users.nomem ?
		       -ENOMEM :
		       0;
}

void event_stream_done(struct event_stream *stream)
{
	user_calls_done(&stream->users);
	exec_pids_done(&stream->execs);
	probe_join_done(&stream->join);
	probe_calls_done(&stream->probes);
	event_decoder_done(&stream->reader);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns raw events into decoded ones, in trace order. Values recorded by probes become arguments
 * and results of their calls, user functions become calls around kernel functions, and the exit of
 * an execve() receives the pid of the thread that called it.
 *
 * Events may be held back. A decoded event, which may point to a copy of the raw one, is valid only
 * until take() returns. event_stream_done() frees what the stream uses; the stream must not move
 * after event_stream_init(). Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_STREAM_EVENT_STREAM_H
#define FATHOM_ANALYZE_STREAM_EVENT_STREAM_H

#include "analyze/stream/exec-pids.h"
#include "analyze/stream/decoded-event.h"
#include "analyze/stream/probe-calls.h"
#include "analyze/stream/probe-join.h"
#include "analyze/stream/user-calls.h"

struct event_stream {
	struct event_decoder reader;
	struct probe_calls probes;
	struct probe_join join;
	struct exec_pids execs;
	struct user_calls users;
	bool joins; /* the trace has probe values to join */
	bool probes_are_calls; /* if no function tracer recorded calls; see probe-calls.h */
	bool stop; /* set in take(): pass on no more events */
	user_calls_taker *take;
	void *data;
};

/* @table must outlive the stream. @plain: see struct event_decoder. */
void event_stream_init(struct event_stream *stream, struct event_table *table, bool plain,
		       user_calls_taker *take, void *data);
void event_stream_put(struct event_stream *stream, const struct fathom_event *event);
/*
 * Passes on the events that were held back. Returns 0, or -ENOMEM if any were dropped for lack of
 * memory.
 */
int event_stream_end(struct event_stream *stream);
void event_stream_done(struct event_stream *stream);

#endif

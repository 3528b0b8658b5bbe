/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns events into what happens: their fields read, what probes have recorded joined to the calls
 * that it belongs to, functions of programs as calls around those of the kernel, and the end of an
 * execve() with the pid of the thread that began it. What comes out may be held back a while, and its
 * event be a copy that is good until the next one is put; the order stays.
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
	bool joins; /* there is something to join */
	bool probes_are_calls; /* where nothing else tells of these; see probe-calls.h */
	bool stop; /* set by the taker: it wants no more */
	user_calls_taker *take;
	void *data;
};

/* For a trace with the events of @table, which must outlive it. @plain: see struct event_decoder. */
void event_stream_init(struct event_stream *stream, struct event_table *table, bool plain,
		       user_calls_taker *take, void *data);
void event_stream_put(struct event_stream *stream, const struct fathom_event *event);
/* Nothing more comes. 0, or -ENOMEM when something is missing. */
int event_stream_end(struct event_stream *stream);
void event_stream_done(struct event_stream *stream);

#endif

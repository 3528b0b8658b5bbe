/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls out of probes: where a kernel function has a probe at its beginning and one at its
 * return, their events are turned into what function_graph tells of calls, for all analyses.
 *
 * That a function has a probe at its return is known when the first one is seen; what begins
 * before that is no call yet, so that functions with a probe at their beginning alone never seem
 * to go on. Where events were lost, and where a task enters a system call, nothing is open. In a
 * trace with function_graph's own events probes stay events.
 *
 * Unlike entries and exits of function_graph, probes have no depth that would show what is missing, and a task
 * can run on many CPUs without hitting one. So a gap on any CPU closes the calls of all tasks, where
 * gaps_crossed() would ask for the CPUs of the task only.
 */
#ifndef FATHOM_ANALYZE_STREAM_PROBE_CALLS_H
#define FATHOM_ANALYZE_STREAM_PROBE_CALLS_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

struct probe_task;

/* Zero-initialised is empty. */
struct probe_calls {
	struct u64_map returning; /* addresses of functions that have been seen to return */
	struct u64_map keys; /* places in @tasks */
	struct probe_task *tasks;
	size_t n, cap;
	uint64_t gaps; /* how often events were lost */
	bool has_graph; /* function_graph tells of calls */
	bool nomem; /* something is missing */
};

/* A probe becomes a CALL, a RETURN or an OTHER; all else stays what it is. */
void probe_calls_turn(struct probe_calls *calls, struct decoded_event *decoded);
void probe_calls_done(struct probe_calls *calls);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns probe hits into calls: the events of entry and exit probes on a kernel function become
 * calls like those of function_graph, for all analyses.
 *
 * That a function has an exit probe is known only after its first hit; earlier entries are not
 * calls, so that functions with only an entry probe do not appear to run forever. Lost events and
 * the start of a system call close all open calls. In traces with events of function_graph, probe
 * hits stay events.
 *
 * Unlike function_graph's events, probe hits have no depth that would reveal missing ones, and a
 * task can run on many CPUs without hitting any. Therefore, a gap on any CPU closes the calls of
 * all tasks, whereas gaps_crossed() considers only the CPUs of the task.
 *
 * If memory is exhausted, @nomem is set, and some hits stay events. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_STREAM_PROBE_CALLS_H
#define FATHOM_ANALYZE_STREAM_PROBE_CALLS_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

struct probe_task;

/* Empty when zero-initialized. */
struct probe_calls {
	struct u64_map returning; /* addresses of functions whose exit was seen */
	struct u64_map keys; /* task_key() -> index in @tasks */
	struct probe_task *tasks;
	size_t n, cap;
	uint64_t gaps; /* number of gaps so far */
	bool has_graph; /* function_graph recorded calls */
	bool nomem; /* some calls are missing */
};

/*
 * Call for every event, in chronological order. Turns a PROBE or PROBE_RETURN into a CALL, a RETURN or an
 * OTHER, and leaves other events unchanged.
 */
void probe_calls_turn(struct probe_calls *calls, struct decoded_event *decoded);
void probe_calls_done(struct probe_calls *calls);

#endif

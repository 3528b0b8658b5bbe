/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The call graph: function entries and exits, paired per task across CPUs and summed in a tree.
 *
 * Only recorded events count. A call whose entry or exit is missing is counted as cut, without a
 * time. If events were lost while a call was open, it has a time only if its exit proves that it is
 * the same call, and no self time. (A task that in between ran on a third CPU, and lost events only
 * there, goes unnoticed.) Interrupts during a call, and time off the CPU, are not part of its self
 * time. The kernel takes the time of an entry or exit shortly before it writes the event: an
 * interrupt in between is inside the call at its entry, and after it at its exit, regardless of the
 * order of events.
 *
 * A thread that executes a program exchanges pids with the first thread of its process, during a
 * call. This is detected at the exit of that call, which the task with that pid cannot be in, or at
 * a switch away from a pid to which there was no switch.
 *
 * The calls of consecutive parts of a trace can be merged: calls left open by the first part are
 * matched with calls found open by the second, so that the result does not depend on how the trace
 * is divided. Exceptions, at the border of two parts: a nested interrupt that is known only by its
 * events may count twice; one that comes before the event of a call's entry may appear beside the
 * call; calls of tasks that exchange pids are cut; and the time between the wakeup of a sleeping
 * task and its run does not count as waiting.
 *
 * Uses memory for the tree and the open calls. If it is exhausted, that is reported by
 * calls_merge() and calls_finish(). Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_CALLS_CALLS_H
#define FATHOM_ANALYZE_CALLS_CALLS_H

#include "analyze/calls/call-tree.h"
#include "analyze/stream/decoded-event.h"
#include "analyze/sums/slowest.h"
#include "read/context/tasks.h"

struct calls;

/* The end of a call, for a watcher. */
struct call_end {
	uint32_t func; /* FUNC_NONE if unknown */
	bool no_start, no_end; /* the entry or exit was not recorded */
	bool has_times; /* if not, only times.total is valid, and without an exit not even that */
	bool is_interrupt;
	bool is_inherited; /* the call was made by the parent of the task, before the fork */
	/*
	 * Both on the clock of the events. For complete calls, as taken by the tracer, consistent
	 * with @times; otherwise times of events, at most that of the last one of the task while
	 * the call was open.
	 */
	uint64_t start, end;
	struct call_times times;
};

/*
 * Receives each call, in chronological order; calls that are open at the end of the trace end
 * there. @task is a task_key(). The start of a call without an entry may be passed late: at its
 * first nested call, or at its end.
 */
struct calls_watch {
	void (*began)(void *data, int64_t task, uint32_t func, uint64_t time);
	void (*ended)(void *data, int64_t task, const struct call_end *end);
	/* The open calls of the two tasks are exchanged. NULL: they are cut. */
	void (*exchanged)(void *data, int64_t task, int64_t now);
	void *data;
};

struct calls_options {
	const struct kallsyms *kallsyms; /* must outlive the calls; NULL: no names */
	const struct tasks *tasks; /* likewise; identifies ksoftirqd */
	bool with_spread; /* collect distributions, for quantiles */
	/* Events use the clock of the tracer's timestamps, plus @clock_offset. */
	bool is_local_clock;
	int64_t clock_offset;
	bool with_notes; /* for comparisons with other runs: call call_tree_note() */
	/* Called for each complete call. May be NULL. */
	void (*ended)(void *data, uint32_t func, const struct instance *instance);
	void *ended_data;
	const struct calls_watch *watch; /* must outlive the calls; may be NULL */
};

/* Copies the options. Returns 0 or -ENOMEM. */
int calls_new(const struct calls_options *options, struct calls **ret_calls);
void calls_free(struct calls *calls);

/*
 * Returns the functions by the numbers passed to calls_options.ended(). Valid until calls_free().
 */
const struct func_table *calls_funcs(const struct calls *calls);
/* Returns the number of a function, or FUNC_NONE if memory is exhausted. */
uint32_t calls_func(struct calls *calls, uint64_t address);

/* Call for every event, in chronological order. */
void calls_feed(struct calls *calls, const struct decoded_event *decoded);
/* The kinds of events that are calls, for struct feed. */
#define CALLS_FILTERED (1ULL << DECODED_CALL | 1ULL << DECODED_RETURN)
/*
 * Merges the calls of the part that follows immediately. Afterwards, @next can only be freed.
 * Returns 0 or -ENOMEM.
 */
int calls_merge(struct calls *calls, struct calls *next);
/*
 * Cuts the open calls; afterwards, nothing can be fed or merged. The tree is valid until
 * calls_free(). Returns 0, or -ENOMEM if anything is missing; the tree is valid even then.
 */
int calls_finish(struct calls *calls, const struct call_tree **ret_tree);

#endif

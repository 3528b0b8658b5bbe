/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who called whom, and for how long: function_graph's beginnings and ends of functions put
 * together per task, wherever it ran, and added up in a tree.
 *
 * The account is honest. A call of which one end was not recorded is counted as cut, and has
 * no time. Where events were lost while a call was open, it has a time only if its end proves
 * that it is the same call, and no own time (a task that was meanwhile on a third CPU, and lost
 * events only there, is not found out). Interrupts that came in during a call
 * are taken off its own time, and so is the time that its task was not on a CPU. The kernel takes
 * the time of a call a moment before it writes the events of its beginning and its end: an interrupt
 * that comes between the time and the event is inside of the call in the first case, and behind it in
 * the second one, wherever its own events are.
 *
 * A thread that executes a program exchanges pids with the first one of its process, in a call. This is seen
 * by the end of that call, which the task that has the pid cannot be in, or by a switch away from a pid that
 * did not come on.
 *
 * Accounts of one trace's parts can be added: what the first has left open is closed by what
 * the second has found open, so that the sum is that of the whole, in whatever parts it was
 * read (calls_merge()). Only an interrupt that is known by its events, and inside of another
 * one where two parts meet, may count twice; one that comes before the event of a call may seem
 * to be beside it where they meet in between; calls of tasks that exchange their pids are cut where
 * they meet; and of a task that is asleep where two parts meet,
 * the time between its wakeup and its run does not count as waiting. Memory is that of the tree, and of open calls.
 */
#ifndef FATHOM_ANALYZE_CALLS_CALLS_H
#define FATHOM_ANALYZE_CALLS_CALLS_H

#include "analyze/calls/call-tree.h"
#include "analyze/stream/decoded-event.h"
#include "analyze/sums/slowest.h"
#include "read/context/tasks.h"

struct calls;

/* How a call ended, for who watches. */
struct call_end {
	uint32_t func; /* FUNC_NONE: that is not known */
	bool no_start, no_end; /* that was not recorded */
	bool has_times; /* false: only what it took in all is known, and without an end not even that */
	bool is_interrupt;
	bool is_inherited; /* by a child from its parent, whose call it is */
	/*
	 * Both by the clock of the events. Of a call that has ended by the kernel's own account, from
	 * which its times are; of others by their events, up to the last one of the task while it was open.
	 */
	uint64_t start, end;
	struct call_times times;
};

/*
 * Hears of each call, in the order of time; what is open when the trace ends is ended then. The
 * task is a task_key(). A call without a start may get one late: when its
 * first inner call is seen, or its end.
 */
struct calls_watch {
	void (*began)(void *data, int64_t task, uint32_t func, uint64_t time);
	void (*ended)(void *data, int64_t task, const struct call_end *end);
	/* What was open of @task goes on as @now's, and the other way round. NULL: it does not go on. */
	void (*exchanged)(void *data, int64_t task, int64_t now);
	void *data;
};

struct calls_options {
	const struct kallsyms *kallsyms; /* must outlive the calls; NULL: no names */
	const struct tasks *tasks; /* the same; tells the tasks that do interrupts' work */
	bool with_spread; /* for quantiles */
	/* The events have the clock by which the kernel takes the time of calls, so much later. */
	bool is_local_clock;
	int64_t clock_offset;
	bool with_notes; /* for comparisons with other runs: see call_tree_note() */
	/* Called for each call that is counted, with its time; NULL: nobody wants to know. */
	void (*ended)(void *data, uint32_t func, const struct instance *instance);
	void *ended_data;
	const struct calls_watch *watch; /* must outlive the calls; NULL: nobody watches */
};

/* The options are copied. 0 or -ENOMEM. */
int calls_new(const struct calls_options *options, struct calls **ret_calls);
void calls_free(struct calls *calls);

/* The functions by the numbers that calls_options.ended() is called with. */
const struct func_table *calls_funcs(const struct calls *calls);
/* The number of one; FUNC_NONE without memory. */
uint32_t calls_func(struct calls *calls, uint64_t address);

/* To be fed with all events, in order of time. */
void calls_feed(struct calls *calls, const struct decoded_event *decoded);
/* Which of them are the calls, for struct feed. */
#define CALLS_FILTERED (1ULL << DECODED_CALL | 1ULL << DECODED_RETURN)
/* Adds the account of what came right behind; @next can only be freed then. 0 or -ENOMEM. */
int calls_merge(struct calls *calls, struct calls *next);
/*
 * Closes what is open, as cut: nothing can be fed or added any more. The tree belongs to
 * the calls. -ENOMEM when something is missing in it, which is then the case for good.
 */
int calls_finish(struct calls *calls, const struct call_tree **ret_tree);

#endif

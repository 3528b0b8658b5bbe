/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The summary of a recorded command: several analyses, fed together.
 *
 * Must not move after summary_init(), because the analyses share @tracking. If memory is exhausted, summary_finish() fails. Results are valid until
 * summary_done(). Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_SUMMARY_H
#define FATHOM_ANALYZE_SUMMARY_H

#include "analyze/calls/breakdown.h"
#include "analyze/devices/disk-requests.h"
#include "analyze/syscalls/files.h"
#include "analyze/tasks/processes.h"
#include "analyze/syscalls/syscalls.h"
#include "analyze/tasks/time-account.h"
#include "analyze/syscalls/tracing-cost.h"

struct calls;
struct kallsyms;
struct phases;
struct tasks;

/* A user function. */
struct summary_function {
	uint32_t func; /* number in @tree->funcs */
	uint64_t calls, own;
};

struct summary {
	struct task_tracking tracking; /* shared by the analyses below */
	struct syscalls syscalls;
	struct time_account account;
	struct files files;
	struct processes processes;
	struct calls *calls;
	struct tracing_cost cost;
	const struct tasks *tasks; /* names of tasks */
	struct followed followed;

	uint64_t first, last; /* times of the first and last event in the window */
	uint64_t n_events, n_calls; /* @n_calls: of kernel functions */
	uint64_t faults;
	struct disk_requests disk;
	/* Valid after summary_finish(): */
	const struct call_tree *tree;
	struct breakdown breakdown;
	struct summary_function *functions; /* user functions, by self time, longest first */
	size_t n_functions;
	uint64_t times[TIME_KINDS]; /* of all tasks, by enum time_kind */
};

/*
 * @kallsyms and @tasks must outlive the summary. Returns 0, or -ENOMEM; call summary_done() in
 * either case.
 */
int summary_init(struct summary *summary, const struct kallsyms *kallsyms,
		 const struct tasks *tasks);
/*
 * Call before the first event: determines which tasks were recorded, and which are the recorder's.
 * @is_command: the recording starts with the command. Returns 0 or a negative errno.
 */
int summary_follow(struct summary *summary, const struct fathom_trace *trace, bool is_command);
/* Likewise: limits the summary to the feed's window, and asks for early and late events. */
void summary_clip(struct summary *summary, struct feed *feed);
/* Call for every event, in chronological order. */
void summary_feed(struct summary *summary, const struct decoded_event *decoded);
/*
 * Returns a conservative (high) estimate of how long the command would have taken without tracing,
 * if it took @took ns; 0 if unknown.
 */
uint64_t summary_untraced(const struct summary *summary, uint64_t took);
/* Returns the number of signals to its tasks that are worth showing. */
uint64_t summary_signals(const struct summary *summary);
/*
 * @goes_on: the trace continues after the last event fed. @phases is not kept. No events may
 * follow. Returns 0 or -ENOMEM.
 */
int summary_finish(struct summary *summary, const struct phases *phases, bool goes_on);
void summary_done(struct summary *summary);

#endif

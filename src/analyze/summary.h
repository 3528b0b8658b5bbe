/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All that is worth knowing about a command that was recorded: several analyses, fed at once. */
#ifndef FATHOM_ANALYZE_SUMMARY_H
#define FATHOM_ANALYZE_SUMMARY_H

#include "analyze/calls/breakdown.h"
#include "analyze/calls/calls.h"
#include "analyze/devices/disk-requests.h"
#include "analyze/syscalls/files.h"
#include "analyze/calls/phases.h"
#include "analyze/tasks/processes.h"
#include "analyze/syscalls/syscalls.h"
#include "analyze/tasks/time-account.h"
#include "analyze/syscalls/tracing-cost.h"

/* A function of a program. */
struct summary_function {
	uint32_t func; /* in the functions of the tree */
	uint64_t calls, own;
};

struct summary {
	struct task_tracking tracking; /* for all of these: */
	struct syscalls syscalls;
	struct time_account account;
	struct files files;
	struct processes processes;
	struct calls *calls;
	struct tracing_cost cost;
	const struct tasks *tasks; /* names of tasks */
	struct followed followed;

	uint64_t first, last; /* the times of the first and the last event in the window */
	uint64_t n_events, n_calls; /* @n_calls: of functions */
	uint64_t faults;
	struct disk_requests disk;
	/* After summary_finish(). */
	const struct call_tree *tree;
	struct breakdown breakdown;
	struct summary_function
		*functions; /* of programs; those that took longest themselves first */
	size_t n_functions;
	uint64_t times[TIME_KINDS]; /* of all tasks */
};

/* What @kallsyms and @tasks point at must outlive it. 0 or -ENOMEM. */
int summary_init(struct summary *summary, const struct kallsyms *kallsyms,
		 const struct tasks *tasks);
/*
 * To be called before the first event: learns which tasks the recording is limited to, and which are the
 * recorder's. @is_command: it is of a command, which was not there before. 0 or -ENOMEM.
 */
int summary_follow(struct summary *summary, const struct fathom_trace *trace, bool is_command);
/* The same: only the feed's window counts, which looks around it. */
void summary_clip(struct summary *summary, struct feed *feed);
/* To be fed with all events, in order of time. */
void summary_feed(struct summary *summary, const struct decoded_event *decoded);
/* What the command would have taken without tracing, about, or less, if it took @took nanoseconds; 0: not known. */
uint64_t summary_untraced(const struct summary *summary, uint64_t took);
/* How many signals were sent to its tasks. */
uint64_t summary_signals(const struct summary *summary);
/* @goes_on: the trace does, after what was fed. 0 or -ENOMEM. */
int summary_finish(struct summary *summary, const struct phases *phases, bool goes_on);
void summary_done(struct summary *summary);

#endif

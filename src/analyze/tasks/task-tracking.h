/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What several analyses need to know about tasks: which one a pid means, and what became of system calls
 * that a signal interrupted. An analysis follows that itself, or several that are fed together share one.
 */
#ifndef FATHOM_ANALYZE_TASKS_TASK_TRACKING_H
#define FATHOM_ANALYZE_TASKS_TASK_TRACKING_H

#include "analyze/tasks/restarts.h"
#include "analyze/tasks/task-table.h"

/* Zero-initialised is empty. */
struct task_tracking {
	struct task_table table;
	struct restarts restarts;
};

/* To be fed with all events, in order of time, each before the analyses that share it. */
void task_tracking_feed(struct task_tracking *tracking, const struct decoded_event *decoded);
/* Nothing more comes. -ENOMEM when something is missing, else 0. */
int task_tracking_finish(struct task_tracking *tracking);
void task_tracking_done(struct task_tracking *tracking);

/* What an analysis has of it. Zero-initialised: its own. */
struct task_tracker {
	struct task_tracking own;
	struct task_tracking *shared; /* by the caller, who feeds and finishes it; NULL: @own */
	bool listens;
};

static inline struct task_table *task_tracker_table(struct task_tracker *tracker)
{
	return tracker->shared ? &tracker->shared->table : &tracker->own.table;
}

/* By the analysis, with each event. @take: gets what became of calls; NULL: none of interest. */
void task_tracker_feed(struct task_tracker *tracker, const struct decoded_event *decoded,
		       restarts_taker *take, void *data);
/* -ENOMEM when something is missing, else 0. */
int task_tracker_finish(struct task_tracker *tracker);
void task_tracker_done(struct task_tracker *tracker);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Information about tasks that several analyses need: which task has a pid, and how interrupted
 * system calls ended. An analysis either tracks this itself, or shares it with others that are fed
 * together. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_TASKS_TASK_TRACKING_H
#define FATHOM_ANALYZE_TASKS_TASK_TRACKING_H

#include "analyze/tasks/restarts.h"
#include "analyze/tasks/task-table.h"

/* Empty when zero-initialized. */
struct task_tracking {
	struct task_table table;
	struct restarts restarts;
};

/* Call for every event, in chronological order, before feeding the analyses that share it. */
void task_tracking_feed(struct task_tracking *tracking, const struct decoded_event *decoded);
/* Call after all events. Returns 0, or -ENOMEM if anything is missing. */
int task_tracking_finish(struct task_tracking *tracking);
void task_tracking_done(struct task_tracking *tracking);

/* The part embedded in an analysis. Not shared when zero-initialized. */
struct task_tracker {
	struct task_tracking own;
	struct task_tracking *shared; /* the caller feeds, finishes and keeps it; NULL: @own */
	bool listens;
};

static inline struct task_table *task_tracker_table(struct task_tracker *tracker)
{
	return tracker->shared ? &tracker->shared->table : &tracker->own.table;
}

/*
 * Call for every event. @take is called when the outcome of an interrupted call is known; may be
 * NULL.
 */
void task_tracker_feed(struct task_tracker *tracker, const struct decoded_event *decoded,
		       restarts_taker *take, void *data);
/* Returns 0, or -ENOMEM if anything is missing. */
int task_tracker_finish(struct task_tracker *tracker);
void task_tracker_done(struct task_tracker *tracker);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/tasks/task-tracking.h"

#include <errno.h>

void task_tracking_feed(struct task_tracking *tracking, const struct decoded_event *decoded)
{
	task_table_feed(&tracking->table, decoded);
	restarts_feed(&tracking->restarts, decoded);
}

int task_tracking_finish(struct task_tracking *tracking)
{
	int r = restarts_finish(&tracking->restarts);

	return r < 0 || tracking->table.nomem ? -ENOMEM : 0;
}

void task_tracking_done(struct task_tracking *tracking)
{
	task_table_done(&tracking->table);
	restarts_done(&tracking->restarts);
}

void task_tracker_feed(struct task_tracker *tracker, const struct decoded_event *decoded,
		       restarts_taker *take, void *data)
{
	struct task_tracking *tracking = tracker->shared ?: &tracker->own;

	if (take && !tracker->listens)
		restarts_listen(&tracking->restarts, take, data);
	tracker->listens = true;
	if (!tracker->shared)
		task_tracking_feed(&tracker->own, decoded);
}

int task_tracker_finish(struct task_tracker *tracker)
{
	return tracker->shared ? 0 : task_tracking_finish(&tracker->own);
}

void task_tracker_done(struct task_tracker *tracker)
{
	task_tracking_done(&tracker->own);
	*tracker = (struct task_tracker){ 0 };
}

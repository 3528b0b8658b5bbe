/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of tasks and their processes at each moment of a recording, as a program in the kernel
 * would see them; struct tasks has one name per task. Learned from the events that contain them: a
 * task is unknown before the first of these. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_COUNT_COUNT_TASKS_H
#define FATHOM_ANALYZE_COUNT_COUNT_TASKS_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"
#include "count/columns.h"

struct count_task {
	int32_t tgid; /* 0: unknown */
	bool is_made; /* by an event with its process, which precedes that with its name */
	char comm[COUNT_COMM_SIZE]; /* empty: unknown */
};

/* Empty when zero-initialized. */
struct count_tasks {
	struct u64_map pids;
	struct count_task *list;
	size_t n, cap;
	bool nomem; /* some names are missing */
};

/* Call for every event, in chronological order. */
void count_tasks_feed(struct count_tasks *tasks, const struct decoded_event *decoded);
/* Returns NULL if nothing is known. */
const struct count_task *count_tasks_find(const struct count_tasks *tasks, int32_t pid);
void count_tasks_done(struct count_tasks *tasks);

#endif

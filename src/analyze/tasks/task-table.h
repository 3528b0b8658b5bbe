/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which task a pid means: the kernel gives the pid of a task that has ended to another one. Each task
 * has a number of its own, and each pid a place, so that what is kept for a task can be stored by the
 * place of its pid and discarded when the number there is another one.
 *
 * A pid means another task when a task with it is created, when its task was switched away from for
 * the last time and it runs or is woken again, and when it makes a system call after the event of its
 * task's exit. One task can be reported to be created by task_newtask, sched_process_fork and
 * sched_wakeup_new, each of them once.
 *
 * An event that is in several buffers is taken from the one where its kind was seen first.
 * Memory is that of the pids.
 */
#ifndef FATHOM_ANALYZE_TASKS_TASK_TABLE_H
#define FATHOM_ANALYZE_TASKS_TASK_TABLE_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

#define TASK_TABLE_NONE UINT32_MAX

struct task_table_entry {
	int32_t pid;
	uint32_t number; /* of the task that has the pid now; never used again */
	uint8_t births; /* the events that reported its creation; 0: it was there before */
	bool exits; /* the event of its exit was seen */
	bool dead; /* it was switched away from for the last time */
};

/* Zero-initialised is empty. */
struct task_table {
	struct u64_map pids; /* places in @list */
	struct task_table_entry *list;
	size_t n, cap;
	uint32_t n_tasks; /* so many numbers were given */
	uint32_t buffers[32]; /* by kind of event: whose events are taken, + 1 */
	bool nomem; /* some pids are missing */
};

/*
 * To be fed with all events, in order of time, each before its pids are looked up. The task
 * that ends with a event still has its pid after it.
 */
void task_table_feed(struct task_table *table, const struct decoded_event *decoded);
/* The place of the pid. TASK_TABLE_NONE: it is 0, or no event was about it. */
uint32_t task_table_find(const struct task_table *table, int32_t pid);
/* The same for a pid that an event may be the first to be about; NONE: it is 0, or no memory. */
uint32_t task_table_get(struct task_table *table, int32_t pid);
void task_table_done(struct task_table *table);

/* What an analysis keeps for a task is in an array by the places of pids, each element with this first. */
struct task_slot {
	bool used;
	uint32_t life; /* the number of the task that it is about */
};

enum task_slot_state {
	TASK_SLOT_KNOWN,
	TASK_SLOT_NEW, /* nothing was kept for this pid; all but its struct task_slot is zero */
	TASK_SLOT_RENEWED, /* what is there is about the task that had the pid before */
};

/*
 * The element of the task that has the pid in the array *@array (a pointer to a pointer), which has *@n
 * elements of @size bytes and room for *@cap; it grows as needed, and the element's struct task_slot is made
 * to be about this task. NULL: the pid is 0, or there is no memory, and then @nomem of the table is set.
 */
void *task_table_slot(struct task_table *table, int32_t pid, void *array, size_t *n, size_t *cap,
		      size_t size, enum task_slot_state *ret_state);
/* The element of the task that has the pid; NULL: nothing is kept for it. */
void *task_table_known(const struct task_table *table, int32_t pid, void *array, size_t n,
		       size_t size);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identifies the task that has a pid. Pids are reused: each task has a unique number, and each pid
 * a fixed index. Data about tasks is stored by the index of the pid, and discarded if it belongs to
 * another number.
 *
 * A pid denotes another task when a task with it is created, when its task runs or is woken after
 * its final switch, and when it makes a system call after its exit event. The creation of one task
 * may be reported by task_newtask, sched_process_fork and sched_wakeup_new, once by each.
 *
 * If the same event is in several buffers, the buffer in which its kind was first seen counts. Uses
 * memory per pid. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_TASKS_TASK_TABLE_H
#define FATHOM_ANALYZE_TASKS_TASK_TABLE_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

#define TASK_TABLE_NONE UINT32_MAX

struct task_table_entry {
	int32_t pid;
	uint32_t number; /* of the task that has the pid now; unique */
	uint8_t births; /* events that reported its creation; 0: predates the trace */
	bool exits; /* its exit event was seen */
	bool dead; /* its final switch was seen */
};

/* Empty when zero-initialized. */
struct task_table {
	struct u64_map pids; /* pid -> index in @list */
	struct task_table_entry *list;
	size_t n, cap;
	uint32_t n_tasks; /* the next unused number */
	uint32_t buffers[32]; /* by kind: the buffer that counts, + 1 */
	bool nomem; /* some pids are missing */
};

/*
 * Call for every event, in chronological order, before looking up its pids. A task that ends with an
 * event still has its pid afterwards.
 */
void task_table_feed(struct task_table *table, const struct decoded_event *decoded);
/* Returns the index of the pid, or TASK_TABLE_NONE if it is 0 or not known. */
uint32_t task_table_find(const struct task_table *table, int32_t pid);
/* The same, but adds the pid if necessary. TASK_TABLE_NONE if it is 0, or memory is exhausted. */
uint32_t task_table_get(struct task_table *table, int32_t pid);
void task_table_done(struct task_table *table);

/* The first member of each element of an array with data about tasks, by the index of the pid. */
struct task_slot {
	bool used;
	uint32_t life; /* number of the task that the data belongs to */
};

enum task_slot_state {
	TASK_SLOT_KNOWN,
	TASK_SLOT_NEW, /* no data so far: all but the struct task_slot is zero */
	TASK_SLOT_RENEWED, /* the data belongs to the previous task with this pid */
};

/*
 * Returns the element of the task with the pid in the array *@array (a pointer to a pointer), which
 * has *@n elements of @size bytes and room for *@cap. Grows the array, and assigns the element to
 * the task. Returns NULL if the pid is 0, or if memory is exhausted, which sets @nomem. The pointer
 * is valid until the array grows.
 */
void *task_table_slot(struct task_table *table, int32_t pid, void *array, size_t *n, size_t *cap,
		      size_t size, enum task_slot_state *ret_state);
/* Returns the element of the task with the pid, or NULL if there is no data about that task. */
void *task_table_known(const struct task_table *table, int32_t pid, void *array, size_t n,
		       size_t size);

#endif

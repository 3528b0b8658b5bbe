/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys of tasks in hash tables: the pid, or -1 - CPU for an idle task. Idle tasks, one per CPU, all
 * have pid 0.
 */
#ifndef FATHOM_ANALYZE_STREAM_TASK_KEY_H
#define FATHOM_ANALYZE_STREAM_TASK_KEY_H

#include <stdint.h>

#include <fathom/cursor.h>

static inline int64_t task_key(int32_t pid, uint32_t cpu)
{
	return pid ? pid : -1 - (int64_t)cpu;
}

/* Returns the key of the task in which the event occurred. */
static inline int64_t task_key_of(const struct fathom_event *event)
{
	return task_key(event->pid, event->cpu);
}

/* Returns 0 for an idle task. */
static inline int32_t task_key_pid(int64_t key)
{
	return key > 0 ? (int32_t)key : 0;
}

/* Returns the CPU of an idle task. */
static inline int64_t task_key_cpu(int64_t key)
{
	return -1 - key;
}

#endif

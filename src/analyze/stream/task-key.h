/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * By what a task's stack of calls is found: its pid. Every CPU has an idle task of its own, and all of them have
 * pid 0: their keys are -1 - CPU.
 */
#ifndef FATHOM_ANALYZE_STREAM_TASK_KEY_H
#define FATHOM_ANALYZE_STREAM_TASK_KEY_H

#include <stdint.h>

#include <fathom/cursor.h>

static inline int64_t task_key(int32_t pid, uint32_t cpu)
{
	return pid ? pid : -1 - (int64_t)cpu;
}

/* That of the task which the event happened in. */
static inline int64_t task_key_of(const struct fathom_event *event)
{
	return task_key(event->pid, event->cpu);
}

/* 0: an idle task. */
static inline int32_t task_key_pid(int64_t key)
{
	return key > 0 ? (int32_t)key : 0;
}

/* Of an idle task: its CPU. */
static inline int64_t task_key_cpu(int64_t key)
{
	return -1 - key;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for what waits are made of. */
#ifndef FATHOM_RENDER_WAITS_WAKER_H
#define FATHOM_RENDER_WAITS_WAKER_H

#include "analyze/tasks/task-states.h"
#include "base/strbuf.h"
#include "render/kit/json.h"

/* "sleeping". */
const char *state_word(enum task_state state);
/* "task", "idle", "interrupt", "vector", "softirq"; NULL when it is not known. */
const char *waker_word(enum waker_kind kind);
/* "cat-231". */
void task_put(struct strbuf *buf, const struct task_states_task *task);
/* "sleeping in read". */
void wait_put(struct strbuf *buf, const struct task_states *states, enum task_state state,
	      int64_t syscall);
/* "woken by sh-227". */
void waker_put(struct strbuf *buf, const struct task_states *states, struct waker waker);
/* A line about the tasks that the recording is limited to, below an empty one; nothing if it is not. */
void followed_put(struct strbuf *buf, const struct task_states *states);
/* Members "followed", an array of pids or null, and "followed_children". */
void followed_write(struct json *json, const struct task_states *states);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The wording of waits, shared by several screens. Words are static strings; ..._put() append to a
 * strbuf.
 */
#ifndef FATHOM_RENDER_WAITS_WAKER_H
#define FATHOM_RENDER_WAITS_WAKER_H

#include "analyze/tasks/task-states.h"
#include "base/strbuf.h"
#include "render/kit/json.h"

/* Returns a word such as "sleeping". */
const char *state_word(enum task_state state);
/* Returns "task", "idle", "interrupt", "vector", "softirq", or NULL if the waker is unknown. */
const char *waker_word(enum waker_kind kind);
/* Appends "cat-231". */
void task_put(struct strbuf *buf, const struct task_states_task *task);
/* Appends "sleeping in read". */
void wait_put(struct strbuf *buf, const struct task_states *states, enum task_state state,
	      int64_t syscall);
/* Appends "woken by sh-227". */
void waker_put(struct strbuf *buf, const struct task_states *states, struct waker waker);
/* Appends notes, each after an empty line, if the recording is limited to some tasks or CPUs. */
void followed_put(struct strbuf *buf, const struct task_states *states);
/*
 * Appends the contents of these notes to the open object: "followed", an array of process IDs or
 * null, and three others.
 */
void followed_write(struct json *json, const struct task_states *states);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of tasks by PID: from the file's saved_cmdlines, and from events as they are read. The
 * first name of a PID is kept, so that a line of a report does not depend on how far the reader
 * looked ahead, except for names recorded while the task was alive, which tasks_rename() sets.
 *
 * Not thread-safe. Names belong to the table and are valid until tasks_done() or a tasks_rename();
 * pointers to struct task are valid until the next addition.
 */
#ifndef FATHOM_READ_CONTEXT_TASKS_H
#define FATHOM_READ_CONTEXT_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Longer names are cut. The kernel's have at most 64 bytes. */
#define TASK_COMM_MAX UINT16_MAX
/* Additional PIDs are not kept. Linux has at most 4 million. */
#define TASKS_MAX ((size_t)1 << 22)

struct task {
	int32_t pid; /* 0: free slot */
	uint16_t len, room; /* of @comm: its length, and the longest that fits into its memory */
	const char *comm; /* NUL-terminated */
};

/* Zero-initialized: empty. */
struct tasks {
	struct task *slots; /* hash table, at most three quarters full */
	size_t n, cap;
	uint32_t seed;
	struct arena arena;
};

/* Adds names from the lines "PID COMM" of @text; other lines are skipped. Returns 0 or -ENOMEM. */
int tasks_add_cmdlines(struct tasks *tasks, const char *text, size_t len);
/* Names @pid unless it has a name. Does nothing if memory is exhausted: names are not essential. */
void tasks_learn(struct tasks *tasks, int32_t pid, const char *comm, size_t len);
/* Names the PIDs in the lines "PID COMM" of @text, replacing names. Returns 0 or -ENOMEM. */
int tasks_rename(struct tasks *tasks, const char *text, size_t len);
/* Returns whether @pid has a name. */
bool tasks_know(const struct tasks *tasks, int32_t pid);
/* Returns the name of the task and its length, never NULL: "<idle>" for 0, "<...>" if unknown. */
const struct task *tasks_find(const struct tasks *tasks, int32_t pid);
/*
 * Returns the next PID with this name. *@at is the position of the search, initially 0. NULL: no
 * more.
 */
const struct task *tasks_next_named(const struct tasks *tasks, const char *comm, size_t *at);
void tasks_done(struct tasks *tasks);

#endif

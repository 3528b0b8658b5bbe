/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of tasks by their pid: what the file's saved_cmdlines say, and what is
 * learned from events on the way. The first name of a pid stays, so that a line of
 * a report does not depend on how far the reader looked ahead; unless somebody who
 * watches the tasks while they live says otherwise.
 */
#ifndef FATHOM_READ_CONTEXT_TASKS_H
#define FATHOM_READ_CONTEXT_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* More pids than Linux can have (4 million) are not kept. */
#define TASKS_MAX ((size_t)1 << 22)

struct task {
	int32_t pid; /* 0: the slot is free */
	uint32_t len;
	const char *comm; /* ends with NUL */
};

/* Zero-initialised is empty. */
struct tasks {
	struct task *slots; /* a hash table, at most three quarters full */
	size_t n, cap;
	uint32_t seed;
	struct arena arena;
};

/* Adds the lines "PID COMM" of @text; what is no such line is passed over. 0 or -ENOMEM. */
int tasks_add_cmdlines(struct tasks *tasks, const char *text, size_t len);
/* Names @pid unless it has a name. Does nothing when memory is short: a name is not vital. */
void tasks_learn(struct tasks *tasks, int32_t pid, const char *comm, size_t len);
/* Names the pids of the lines "PID COMM" of @text, whatever they were called before. 0 or -ENOMEM. */
int tasks_rename(struct tasks *tasks, const char *text, size_t len);
/* Has the pid a name? */
bool tasks_know(const struct tasks *tasks, int32_t pid);
/* The task's name and its length: "<idle>" for 0, "<...>" when it is not known. */
const struct task *tasks_find(const struct tasks *tasks, int32_t pid);
/* A pid that has this name, the next one after *@at, which begins with 0. NULL at the end. */
const struct task *tasks_next_named(const struct tasks *tasks, const char *comm, size_t *at);
void tasks_done(struct tasks *tasks);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of the tasks in a recording. The kernel remembers a limited number, of tasks that it has
 * seen running. So the names of existing tasks are also read from /proc, when the recording starts
 * and when it ends.
 */
#ifndef FATHOM_RECORD_FILE_TASK_NAMES_H
#define FATHOM_RECORD_FILE_TASK_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"
#include "base/u64-map.h"

/* Where a name comes from. If a task has several, the later source in this list wins. */
enum task_name_rank {
	TASK_NAME_BEFORE, /* it existed when the recording started */
	TASK_NAME_AFTER, /* it exists at the end of the recording */
	TASK_NAME_TRACED, /* the tracer saw it when it last ran, possibly before an exec */
	TASK_NAME_NOTED, /* perf's record of its last change */
};

#define TASK_NAME_SIZE 64 /* names of kernel threads are longer than TASK_COMM_LEN */

struct task_name {
	pid_t pid;
	uint32_t order; /* order of addition; the later of equal ranks wins */
	enum task_name_rank rank;
	uint64_t time; /* in a map: since when it has this name */
	char name[TASK_NAME_SIZE];
};

/* Empty when zero-initialized. */
struct task_names {
	struct task_name *list;
	size_t n, cap;
};

/*
 * Adds the tasks in @proc, a descriptor of a directory like /proc. Returns 0 or a negative errno.
 */
int task_names_scan(struct task_names *names, int proc, enum task_name_rank rank);
/* Adds the lines "PID NAME" of @text, the contents of saved_cmdlines. Returns 0 or -ENOMEM. */
int task_names_parse(struct task_names *names, const char *text, enum task_name_rank rank);
/* Adds a copy of @name. Returns 0 or -ENOMEM. */
int task_names_add(struct task_names *names, pid_t pid, const char *name, enum task_name_rank rank);
/* Appends a line "PID NAME" for each task, sorted by PID. Sorts @names. */
void task_names_print(struct task_names *names, struct strbuf *out);
void task_names_done(struct task_names *names);

/* The latest name of each task in perf's records. Empty when zero-initialized. */
struct task_name_map {
	struct u64_map pids; /* PID to index in @list */
	struct task_name *list;
	size_t n, cap;
};

/*
 * Keeps the latest name by @time, because records of several CPUs arrive in any order. Returns 0 or
 * -ENOMEM.
 */
int task_name_map_put(struct task_name_map *map, pid_t pid, const char *name, uint64_t time);
/* Returns the name, which is valid until the next task_name_map_put(), or NULL. */
const char *task_name_map_find(const struct task_name_map *map, pid_t pid);
/* Calls @each for all tasks. Returns 0 or the first result of @each that is not 0. */
int task_name_map_each(const struct task_name_map *map,
		       int (*each)(void *data, pid_t pid, const char *name), void *data);
void task_name_map_done(struct task_name_map *map);

#define _cleanup_task_names_ __attribute__((cleanup(task_names_done)))

#endif

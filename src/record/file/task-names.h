/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of the tasks that a recording can contain. The kernel remembers only so many, of
 * those that it saw running; so tasks that live are looked up in /proc as well, when the
 * recording begins and when it ends.
 */
#ifndef FATHOM_RECORD_FILE_TASK_NAMES_H
#define FATHOM_RECORD_FILE_TASK_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"
#include "base/u64-map.h"

/* Which of several names of a pid counts: the later in this list. */
enum task_name_rank {
	TASK_NAME_BEFORE, /* it lived when the recording began */
	TASK_NAME_AFTER, /* it lives at its end */
	TASK_NAME_TRACED, /* what the tracer saw when it last ran, maybe before an exec */
	TASK_NAME_NOTED, /* perf's record of its last change */
};

#define TASK_NAME_SIZE 64 /* kernel threads' names are longer than a comm */

struct task_name {
	pid_t pid;
	uint32_t order; /* when it was added; the later of two equal ranks counts */
	enum task_name_rank rank;
	uint64_t time; /* of a map: since when it has this name */
	char name[TASK_NAME_SIZE];
};

/* Zero-initialised is empty. */
struct task_names {
	struct task_name *list;
	size_t n, cap;
};

/* Adds the tasks of @proc (a directory like /proc). 0 or a negative errno. */
int task_names_scan(struct task_names *names, int proc, enum task_name_rank rank);
/* Adds the lines "PID NAME" of @text, which is saved_cmdlines. 0 or -ENOMEM. */
int task_names_parse(struct task_names *names, const char *text, enum task_name_rank rank);
int task_names_add(struct task_names *names, pid_t pid, const char *name, enum task_name_rank rank);
/* Appends a line "PID NAME" for each pid, by number. */
void task_names_print(struct task_names *names, struct strbuf *out);
void task_names_done(struct task_names *names);

/* The last name of each task in perf's records. Zero-initialised is empty. */
struct task_name_map {
	struct u64_map pids; /* of places in @list */
	struct task_name *list;
	size_t n, cap;
};

/* Keeps the latest name by @time: records of several CPUs come in any order. 0 or -ENOMEM. */
int task_name_map_put(struct task_name_map *map, pid_t pid, const char *name, uint64_t time);
/* Good until the next is put; NULL: none was told. */
const char *task_name_map_find(const struct task_name_map *map, pid_t pid);
/* 0, or what @each returned if that is something else. */
int task_name_map_each(const struct task_name_map *map,
		       int (*each)(void *data, pid_t pid, const char *name), void *data);
void task_name_map_done(struct task_name_map *map);

#define _cleanup_task_names_ __attribute__((cleanup(task_names_done)))

#endif

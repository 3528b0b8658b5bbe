/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files that tasks touched, by the paths that they gave: opened, looked for, read and
 * written, and which calls failed on them. Paths come from the events "path_open" and
 * "path_lookup" of a recording by 'fathom run'; what a number of an open file stands for is
 * learned from the calls that opened it. Newer kernels have the paths in the events of the system
 * calls, then those are taken. Without either files have no names, but calls that failed and
 * bytes are counted all the same.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_FILES_H
#define FATHOM_ANALYZE_SYSCALLS_FILES_H

#include "analyze/stream/descriptors.h"
#include "analyze/stream/decoded-event.h"
#include "analyze/syscalls/syscall-args.h"
#include "analyze/tasks/task-tracking.h"
#include "base/u64-map.h"

/* More files are not told apart. */
#define FILES_MAX 65536

struct file_sums {
	const char *path;
	uint64_t opened, looked_for, failed;
	uint64_t read, written; /* bytes */
};

/* A system call that failed, with the file that it was about. */
struct file_error {
	int64_t syscall; /* its number */
	const char *name; /* of the call; NULL: not known */
	int64_t code; /* 2 for ENOENT */
	uint32_t file; /* FILE_NONE: about none that is known */
	uint64_t count;
	uint64_t first_time; /* when the first one returned */
	int32_t first_pid; /* whose it was */
};

struct files_task;

/* Zero-initialised is empty. */
struct files {
	struct u64_map paths; /* by their hash; places in @list */
	struct file_sums *list;
	size_t n, cap;
	uint64_t read, written; /* bytes, of all calls */
	uint64_t opened, failed; /* calls that opened a file, or would have */
	struct u64_map error_keys; /* places in @errors */
	struct file_error *errors;
	size_t n_errors, cap_errors;

	struct task_tracker tracker;
	struct files_task *tasks; /* by place in the tracker's table */
	size_t n_tasks, cap_tasks;
	struct descriptors descriptors; /* places in @list, or kinds of what has no path */
	struct syscall_args args; /* for paths in the events of calls */
	unsigned char *classes; /* of system calls, by event id; 0: not known yet */
	struct arena arena;
	bool outside; /* what is fed is early or late: it tells what is open, and does not count */
	bool nomem;
};

/* To be fed with all events, in order of time. */
void files_feed(struct files *files, const struct decoded_event *decoded);
/* The path of an open file, "socket" and such for those that have none; NULL: not known. */
const char *files_open_name(const struct files *files, int32_t pid, int32_t fd);
/* Sorts: files with most bytes first, then by opens. -ENOMEM when something is missing, else 0. */
int files_finish(struct files *files);
void files_done(struct files *files);

#endif

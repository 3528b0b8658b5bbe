/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files accessed by tasks, by the path used: opens, lookups, bytes read and written, and failed
 * calls. Paths come from the path_open and path_lookup events of a recording by 'fathom run', or,
 * with newer kernels, from the system call events themselves; the file of a descriptor is learned
 * from the call that opened it. Without either, files have no names, but failed calls and bytes are
 * counted all the same.
 *
 * Uses memory per task, file and kind of error. If it is exhausted, further events are ignored, and
 * files_finish() fails. Strings are valid until files_done(). Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_FILES_H
#define FATHOM_ANALYZE_SYSCALLS_FILES_H

#include "analyze/stream/descriptors.h"
#include "analyze/stream/decoded-event.h"
#include "analyze/syscalls/syscall-args.h"
#include "analyze/tasks/task-tracking.h"
#include "base/u64-map.h"

/* Further files are not distinguished. */
#define FILES_MAX 65536

struct file_sums {
	const char *path;
	uint64_t opened, looked_for, failed;
	uint64_t read, written; /* bytes */
};

/* A failed system call and the file that it concerned. */
struct file_error {
	int64_t syscall; /* number */
	const char *name; /* of the call; NULL if unknown */
	int64_t code; /* positive: 2 for ENOENT */
	uint32_t file; /* index in @list; FILE_NONE: none, or unknown */
	uint64_t count;
	uint64_t first_time; /* exit of the first such call */
	int32_t first_pid; /* that made it */
};

struct files_task;

/* Empty when zero-initialized. Must not move after the first event. */
struct files {
	struct u64_map paths; /* hash of the path -> index in @list */
	struct file_sums *list;
	size_t n, cap;
	uint64_t read, written; /* bytes, by all calls */
	uint64_t opened, failed; /* calls that open files */
	struct u64_map error_keys; /* index in @errors */
	struct file_error *errors;
	size_t n_errors, cap_errors;

	struct task_tracker tracker;
	struct files_task *tasks; /* by index in the tracker's table */
	size_t n_tasks, cap_tasks;
	struct descriptors descriptors; /* indexes in @list, or kinds of files without a path */
	struct syscall_args args; /* reads paths from the events of calls */
	unsigned char *classes; /* of system calls, by event ID; 0: not known yet */
	struct arena arena;
	/* The current event is early or late: it shows what is open, but is not counted. */
	bool outside;
	bool nomem;
};

/* Call for every event, in chronological order. */
void files_feed(struct files *files, const struct decoded_event *decoded);
/* Returns the path of an open file, a word such as "socket" if it has none, or NULL if unknown. */
const char *files_open_name(const struct files *files, int32_t pid, int32_t fd);
/*
 * Sorts files by bytes, then by opens, and errors by number; drops files that were not accessed in
 * the window. No events may follow. Returns 0 or -ENOMEM.
 */
int files_finish(struct files *files);
void files_done(struct files *files);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Individual system calls, in the order in which they return. Calls that never return are passed on
 * at the end of the task or of the recording, interrupted calls once it is known what the program
 * got.
 *
 * Uses memory for open calls, and for files.h. If it is exhausted, further events are ignored, and
 * syscall_list_finish() fails. Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_SYSCALL_LIST_H
#define FATHOM_ANALYZE_SYSCALLS_SYSCALL_LIST_H

#include "analyze/syscalls/files.h"
#include "analyze/stream/gaps.h"
#include "analyze/stream/decoded-event.h"
#include "analyze/stream/syscall-names.h"
#include "analyze/syscalls/syscall-args.h"
#include "analyze/syscalls/syscall-fate.h"
#include "analyze/tasks/task-tracking.h"

/* A call. Valid, with all that it points to, until the callback returns. */
struct listed_call {
	enum syscall_fate fate;
	const char *name; /* NULL: only the number is known */
	int64_t number;
	int32_t pid;
	/* The pid of the thread at the entry, if only the exit shows it; 0: @pid, or known before. */
	int32_t old_pid;
	uint32_t cpu; /* on which it ended or was last seen */
	bool has_start; /* the entry was recorded */
	uint64_t start, end; /* @end: valid if syscall_fate_has_end() */
	int64_t result; /* RETURNED: as the program got it */
	int32_t signal; /* RETURNED with EINTR: signal that was handled; 0: none or unknown */
	const char *result_file; /* path of the returned descriptor; NULL: none or unknown */
	struct syscall_args *args;
	struct syscall_start how; /* only valid with @has_start */
};

typedef void syscall_list_taker(void *data, const struct listed_call *call);

struct listed_task;

/* Initialize to zero, except for @take and @data. Must not move after the first event. */
struct syscall_list {
	syscall_list_taker *take;
	void *data;
	struct files files;
	struct u64_map pids; /* pid -> index in @tasks */
	struct listed_task *tasks;
	size_t n_tasks, cap_tasks;
	struct gaps gaps;
	struct task_tracking tracking; /* shared with @files */
	struct syscall_names names;
	bool nomem;
};

/*
 * Call for every event, in chronological order. The formats of the events must outlive the list. Calls of
 * which all events are unwanted are not passed on.
 */
void syscall_list_feed(struct syscall_list *list, const struct decoded_event *decoded);
/* Passes on the open calls. No events may follow. Returns 0, or -ENOMEM if calls are missing. */
int syscall_list_finish(struct syscall_list *list);
void syscall_list_done(struct syscall_list *list);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls one by one, each handed on when it has returned: in the order of their ends.
 * Those that never do are handed on when that is known, with the end of the task or of the
 * recording; those that a signal interrupted when it is known what the program got. Memory is that of open calls and of what files->h remembers.
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

/* One call. Valid during the callback. */
struct listed_call {
	enum syscall_fate fate;
	const char *name; /* NULL: only the number is known */
	int64_t number;
	int32_t pid;
	int32_t old_pid; /* of the thread that began it, if its end is what says so; 0: @pid, or it is known before */
	uint32_t cpu; /* on which it ended, or was seen last */
	bool has_start; /* else it began before the recording, or among lost events */
	uint64_t start, end; /* @end: for those that syscall_fate_has_end() */
	int64_t result; /* RETURNED: as the program got it */
	int32_t signal; /* RETURNED with EINTR: whose handler ran; 0: not known, or none did */
	const char *result_file; /* what the result stands for; NULL: nothing, or not known */
	struct syscall_args *args;
	struct syscall_start how; /* only with @has_start */
};

typedef void syscall_list_taker(void *data, const struct listed_call *call);

struct listed_task;

/* Zero-initialised with @take set is empty. */
struct syscall_list {
	syscall_list_taker *take;
	void *data;
	struct files files;
	struct u64_map pids; /* places in @tasks */
	struct listed_task *tasks;
	size_t n_tasks, cap_tasks;
	struct gaps gaps;
	struct task_tracking tracking; /* also of @files */
	struct syscall_names names;
	bool nomem;
};

/*
 * To be fed with all events, in order of time. Calls of which both events that are there
 * are unwanted are not handed on.
 */
void syscall_list_feed(struct syscall_list *list, const struct decoded_event *decoded);
/* Hands on what is open. -ENOMEM when something is missing, else 0. */
int syscall_list_finish(struct syscall_list *list);
void syscall_list_done(struct syscall_list *list);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscalls/syscall-list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

struct listed_task {
	int32_t pid;
	bool in_call, doubtful, wanted;
	bool has_path;
	/* The last call was interrupted, at @interrupted_at; its result is not known yet. */
	bool interrupted;
	bool interrupted_start; /* and its entry is known */
	uint16_t id; /* event ID of @record */
	uint16_t ended_id; /* event ID of the last exit; 0: none */
	int64_t number; /* of the current or last call */
	uint64_t start;
	uint64_t ended; /* when the task ended; 0: it has not */
	uint64_t interrupted_at;
	struct gaps_mark mark;
	const struct event_format *format;
	unsigned char *record; /* copy of the entry event */
	size_t size, cap_record;
	char *path;
	size_t path_len, cap_path;
	const char *files[SYSCALL_ARGS_MAX];
};

static struct listed_task *syscall_list_find_task(struct syscall_list *list, int32_t pid)
{
	uint32_t place = u64_map_put(&list->pids, (uint32_t)pid);

	if (place == U64_MAP_NONE || mem_reserve(&list->tasks, &list->cap_tasks, place + (size_t)1,
						 sizeof(*list->tasks)) < 0) {
		list->nomem = true;
		return NULL;
	}
	for (; list->n_tasks <= place; list->n_tasks++)
		list->tasks[list->n_tasks] = (struct listed_task){ .pid = pid };
	return &list->tasks[place];
}

/* Returns a task that has been seen in a system call, or NULL. */
static struct listed_task *syscall_list_known_task(struct syscall_list *list, int32_t pid)
{
	uint32_t place = u64_map_get(&list->pids, (uint32_t)pid);

	return place < list->n_tasks ? &list->tasks[place] : NULL;
}

static const char *syscall_list_name_of(const struct syscall_list *list, int64_t number)
{
	return syscall_names_find(&list->names, number);
}

static void syscall_list_move_task(struct syscall_list *list, struct listed_task *task,
				   const struct fathom_event *event)
{
	if (gaps_crossed(&list->gaps, &task->mark, event->cpu, event->time) && task->in_call)
		task->doubtful = true;
}

static void syscall_list_hand_on(struct syscall_list *list, struct listed_task *task,
				 struct listed_call *call)
{
	call->name = syscall_list_name_of(list, task->number);
	call->number = task->number;
	call->pid = task->pid;
	call->cpu = task->mark.cpu;
	call->args = &list->files.args;
	if (call->has_start) {
		call->start = task->start;
		call->how = (struct syscall_start){
			.id = task->id,
			.format = task->format,
			.record = task->record,
			.size = task->size,
			.name = call->name,
			.path = task->has_path ? task->path : NULL,
			.path_len = task->path_len,
		};
		memcpy(call->how.files, task->files, sizeof(task->files));
	}
	if (task->wanted)
		list->take(list->data, call);
}

/* Passes on the current call, if any, which has no further events. */
static void syscall_list_cut(struct syscall_list *list, struct listed_task *task)
{
	struct listed_call call = { .fate = SYSCALL_LOST, .has_start = true };

	if (!task->in_call)
		return;
	if (!task->doubtful && restarts_is_return(syscall_list_name_of(list, task->number))) {
		call.fate = SYSCALL_NO_EXIT;
	} else if (task->ended && !task->doubtful) {
		call.fate = SYSCALL_ENDED;
		call.end = task->ended;
	}
	syscall_list_hand_on(list, task, &call);
	task->in_call = false;
	task->ended = 0;
}

static void keep_record(struct syscall_list *list, struct listed_task *task,
			const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	const struct syscall_start start = syscall_start_of(decoded);

	task->id = event->id;
	task->format = decoded->entry->format;
	task->size = 0;
	if (mem_reserve(&task->record, &task->cap_record, event->size + (size_t)1, 1) < 0) {
		list->nomem = true;
		return;
	}
	if (event->size)
		memcpy(task->record, event->data, event->size);
	task->size = event->size;
	/* Look up descriptors now; later, they may be closed. */
	for (size_t i = 0; i < SYSCALL_ARGS_MAX; i++) {
		int32_t fd;

		task->files[i] = syscall_arg_fd(&list->files.args, &start, i, &fd) ?
					 files_open_name(&list->files, task->pid, fd) :
					 NULL;
	}
}

static void syscall_list_feed_entry(struct syscall_list *list, const struct decoded_event *decoded)
{
	struct listed_task *task = syscall_list_find_task(list, decoded->event->pid);

	if (!task || decoded->call_number.number < 0)
		return;
	syscall_names_learn(&list->names, decoded);
	syscall_list_move_task(list, task, decoded->event);
	/* The second of two events for the same entry, which follows immediately. */
	if (task->in_call && task->number == decoded->call_number.number && !task->doubtful &&
	    !task->ended && task->id != decoded->event->id) {
		task->wanted |= !decoded->unwanted;
		if (decoded_syscall_name(decoded))
			keep_record(list, task, decoded);
		return;
	}
	syscall_list_cut(list, task);
	task->in_call = true;
	task->doubtful = false;
	task->has_path = false;
	task->ended_id = 0;
	task->wanted = !decoded->unwanted;
	task->number = decoded->call_number.number;
	task->start = decoded->event->time;
	keep_record(list, task, decoded);
}

static void syscall_list_feed_path(struct syscall_list *list, const struct decoded_event *decoded)
{
	struct listed_task *task = syscall_list_known_task(list, decoded->event->pid);

	if (!task || !task->in_call || task->has_path)
		return;
	if (mem_reserve(&task->path, &task->cap_path, decoded->path.len + 1, 1) < 0) {
		list->nomem = true;
		return;
	}
	if (decoded->path.len)
		memcpy(task->path, decoded->path.text, decoded->path.len);
	task->path_len = decoded->path.len;
	task->has_path = true;
}

static void syscall_list_take_restart(void *data, const struct restart *restart)
{
	struct syscall_list *list = data;
	struct listed_task *task = syscall_list_known_task(list, restart->pid);
	struct listed_call call = { .fate = syscall_fate_of(restart->fate) };

	if (!task || !task->interrupted)
		return;
	task->interrupted = false;
	call.end = task->interrupted_at;
	call.has_start = task->interrupted_start;
	if (restart->fate == RESTART_EINTR) {
		call.result = -EINTR;
		call.signal = restart->signal;
	}
	syscall_list_hand_on(list, task, &call);
}

/* The return of a handler restores the registers, and with them another call number. */
static void end_return(struct syscall_list *list, struct listed_task *task)
{
	struct listed_call call = { .fate = SYSCALL_NO_EXIT, .has_start = true };
	const char *name = syscall_list_name_of(list, task->number);

	if (!task->in_call || task->doubtful || (name && !restarts_is_return(name)))
		return;
	syscall_list_hand_on(list, task, &call);
	task->in_call = false;
}

/* A thread that executes a program takes over the pid of the first thread: the call ends there. */
static void syscall_list_take_pid(struct syscall_list *list, int32_t old_pid, int32_t pid)
{
	struct listed_task *to = syscall_list_find_task(list, pid), other;
	struct listed_task *from = syscall_list_known_task(list, old_pid);

	if (!to || !from || !from->in_call)
		return;
	syscall_list_cut(list, to);
	other = *to;
	*to = *from;
	to->pid = pid;
	*from = other;
	from->pid = old_pid;
}

static void syscall_list_feed_exit(struct syscall_list *list, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	int64_t number = decoded->call_number.number, result = decoded->call_number.result;
	struct listed_call call = { .fate = SYSCALL_RETURNED,
				    .old_pid = decoded->call_number.old_pid,
				    .end = event->time,
				    .result = result };
	struct listed_task *task = syscall_list_find_task(list, event->pid);

	if (!task)
		return;
	if (number < 0) {
		end_return(list, task);
		return;
	}
	syscall_names_learn(&list->names, decoded);
	syscall_list_move_task(list, task, event);
	/* The second of two events for the same exit. */
	if (!task->in_call && task->ended_id && task->ended_id != event->id &&
	    task->number == number) {
		task->ended_id = 0;
		return;
	}
	call.has_start = task->in_call && task->number == number && !task->doubtful;
	if (!call.has_start) {
		syscall_list_cut(list, task);
		task->wanted = false;
	}
	task->wanted |= !decoded->unwanted;
	task->number = number;
	if (syscall_list_name_of(list, number) && result >= 0 && result <= INT32_MAX &&
	    syscall_returns_file(syscall_list_name_of(list, number)))
		call.result_file = files_open_name(&list->files, event->pid, (int32_t)result);
	task->interrupted = restarts_is_interrupted(result);
	task->interrupted_start = call.has_start;
	task->interrupted_at = event->time;
	if (!task->interrupted)
		syscall_list_hand_on(list, task, &call);
	task->in_call = false;
	task->ended = 0;
	task->ended_id = event->id;
}

static bool syscall_list_is_exec(const struct syscall_list *list, const struct listed_task *task)
{
	const char *name = syscall_list_name_of(list, task->number);

	return name && str_has_word("execve execveat", " ", name);
}

static void syscall_list_feed_switch(struct syscall_list *list, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct listed_task *prev = syscall_list_known_task(list, decoded->sched.prev_pid);
	struct listed_task *next = syscall_list_known_task(list, decoded->sched.next_pid);

	if (prev && decoded->sched.prev_pid) {
		syscall_list_move_task(list, prev, event);
		if (prev->in_call && (decoded->sched.prev == TASK_STATE_DEAD || prev->ended))
			prev->ended = event->time;
		/*
		 * The task that ends in an execve() may be the first thread, with the other's pid;
		 * this becomes known later.
		 */
		if (decoded->sched.prev == TASK_STATE_DEAD && !syscall_list_is_exec(list, prev))
			syscall_list_cut(list, prev);
	}
	if (next && decoded->sched.next_pid)
		syscall_list_move_task(list, next, event);
}

/* The task ends in its call; its last events follow. */
static void syscall_list_feed_task_exit(struct syscall_list *list,
					const struct decoded_event *decoded)
{
	struct listed_task *task = syscall_list_known_task(list, decoded->task.pid);

	if (!task || !task->in_call)
		return;
	syscall_list_move_task(list, task, decoded->event);
	task->ended = decoded->event->time;
}

void syscall_list_feed(struct syscall_list *list, const struct decoded_event *decoded)
{
	if (list->nomem)
		return;
	gaps_note(&list->gaps, decoded);
	if (!list->files.tracker.shared)
		restarts_listen(&list->tracking.restarts, syscall_list_take_restart, list);
	list->files.tracker.shared = &list->tracking;
	task_tracking_feed(&list->tracking, decoded);
	/* A file closed by the call is looked up before that, one opened by it afterwards. */
	if (decoded->kind == DECODED_SYSCALL_ENTRY)
		syscall_list_feed_entry(list, decoded);
	files_feed(&list->files, decoded);
	if (decoded_old_pid(decoded))
		syscall_list_take_pid(list, decoded_old_pid(decoded), decoded->event->pid);
	switch (decoded->kind) {
	case DECODED_SYSCALL_EXIT:
		syscall_list_feed_exit(list, decoded);
		break;
	case DECODED_PATH:
		syscall_list_feed_path(list, decoded);
		break;
	case DECODED_SWITCH:
		syscall_list_feed_switch(list, decoded);
		break;
	case DECODED_TASK_EXIT:
		syscall_list_feed_task_exit(list, decoded);
		break;
	default:
		break;
	}
}

static int syscall_list_compare_starts(const void *pa, const void *pb)
{
	const struct listed_task *a = pa, *b = pb;

	return (a->start > b->start) - (a->start < b->start);
}

int syscall_list_finish(struct syscall_list *list)
{
	bool nomem = task_tracking_finish(&list->tracking) < 0;

	/* Sorting invalidates the map of tasks. */
	if (list->n_tasks)
		qsort(list->tasks, list->n_tasks, sizeof(*list->tasks),
		      syscall_list_compare_starts);
	for (size_t i = 0; i < list->n_tasks; i++) {
		struct listed_task *task = &list->tasks[i];
		struct listed_call call = { .fate = SYSCALL_OPEN, .has_start = true };

		if (task->in_call && !task->ended && !task->doubtful &&
		    !restarts_is_return(syscall_list_name_of(list, task->number)))
			syscall_list_hand_on(list, task, &call);
		else
			syscall_list_cut(list, task);
	}
	if (nomem || list->nomem || list->names.nomem || list->gaps.nomem || list->files.nomem ||
	    list->files.args.nomem || list->files.descriptors.nomem)
		return -ENOMEM;
	return 0;
}

void syscall_list_done(struct syscall_list *list)
{
	for (size_t i = 0; i < list->n_tasks; i++) {
		free(list->tasks[i].record);
		free(list->tasks[i].path);
	}
	files_done(&list->files);
	gaps_done(&list->gaps);
	task_tracking_done(&list->tracking);
	u64_map_done(&list->pids);
	syscall_names_done(&list->names);
	free(list->tasks);
	*list = (struct syscall_list){ 0 };
}

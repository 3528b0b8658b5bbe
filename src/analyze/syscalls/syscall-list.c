/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscalls/syscall-list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define NUMBERS_MAX 65536 /* of system calls that can have a name */

struct listed_task {
	int32_t pid;
	bool in_call, doubtful, wanted;
	bool has_path;
	bool interrupted; /* the last call, at @interrupted_at, and it is not known what became of it */
	bool interrupted_start; /* and its beginning is known */
	uint16_t id; /* of the event that @record is of */
	uint16_t ended_id; /* of the event that ended the last call; 0: none */
	int64_t number; /* of the call that it is in, or was in last */
	uint64_t start;
	uint64_t ended; /* when the task did; 0: it has not */
	uint64_t interrupted_at;
	struct gaps_mark mark;
	const struct event_format *format;
	unsigned char *record; /* of the event that began the call */
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

/* One that was seen in a system call already, or NULL. */
static struct listed_task *syscall_list_known_task(struct syscall_list *list, int32_t pid)
{
	uint32_t place = u64_map_get(&list->pids, (uint32_t)pid);

	return place < list->n_tasks ? &list->tasks[place] : NULL;
}

/* Where raw_syscalls are recorded, the events of the other system tell the names of numbers. */
static void syscall_list_learn_name(struct syscall_list *list, int64_t number, const char *name)
{
	uint32_t place;

	if (!name || number < 0 || number >= NUMBERS_MAX)
		return;
	place = u64_map_put(&list->numbers, (uint64_t)number);
	if (place == U64_MAP_NONE || mem_reserve(&list->names, &list->cap_names, place + (size_t)1,
						 sizeof(*list->names)) < 0) {
		list->nomem = true;
		return;
	}
	for (; list->n_names <= place; list->n_names++)
		list->names[list->n_names] = NULL;
	if (list->names[place])
		return;
	list->names[place] = arena_strdup(&list->arena, name);
	if (!list->names[place])
		list->nomem = true;
}

static const char *syscall_list_name_of(const struct syscall_list *list, int64_t number)
{
	uint32_t place = u64_map_get(&list->numbers, (uint64_t)number);

	return place < list->n_names ? list->names[place] : NULL;
}

static void syscall_list_move_task(struct syscall_list *list, struct listed_task *task,
				   uint32_t cpu)
{
	if (gaps_crossed(&list->gaps, &task->mark, cpu) && task->in_call)
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

/* Nothing more is to come of the call that the task is in, if it is in one. */
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
			const struct happening *happening)
{
	const struct fathom_event *event = happening->event;
	struct syscall_start start = { .id = event->id,
				       .format = happening->entry->format,
				       .record = event->data,
				       .size = event->size };

	task->id = event->id;
	task->format = happening->entry->format;
	task->size = 0;
	if (mem_reserve(&task->record, &task->cap_record, event->size + (size_t)1, 1) < 0) {
		list->nomem = true;
		return;
	}
	if (event->size)
		memcpy(task->record, event->data, event->size);
	task->size = event->size;
	/* What is open is asked for now: later it may be closed. */
	for (size_t i = 0; i < SYSCALL_ARGS_MAX; i++) {
		int32_t fd;

		task->files[i] = syscall_arg_fd(&list->files.args, &start, i, &fd) ?
					 files_open_name(&list->files, task->pid, fd) :
					 NULL;
	}
}

static void syscall_list_feed_entry(struct syscall_list *list, const struct happening *happening)
{
	struct listed_task *task = syscall_list_find_task(list, happening->event->pid);
	const char *name = happening_syscall_name(happening);

	if (!task || happening->call_number.number < 0)
		return;
	syscall_list_learn_name(list, happening->call_number.number, name);
	syscall_list_move_task(list, task, happening->event->cpu);
	/* The other of the two events that tell of one call comes right behind. */
	if (task->in_call && task->number == happening->call_number.number && !task->doubtful &&
	    !task->ended && task->id != happening->event->id) {
		task->wanted |= !happening->unwanted;
		if (name)
			keep_record(list, task, happening);
		return;
	}
	syscall_list_cut(list, task);
	task->in_call = true;
	task->doubtful = false;
	task->has_path = false;
	task->ended_id = 0;
	task->wanted = !happening->unwanted;
	task->number = happening->call_number.number;
	task->start = happening->event->time;
	keep_record(list, task, happening);
}

static void syscall_list_feed_path(struct syscall_list *list, const struct happening *happening)
{
	struct listed_task *task = syscall_list_known_task(list, happening->event->pid);

	if (!task || !task->in_call || task->has_path)
		return;
	if (mem_reserve(&task->path, &task->cap_path, happening->path.len + 1, 1) < 0) {
		list->nomem = true;
		return;
	}
	if (happening->path.len)
		memcpy(task->path, happening->path.text, happening->path.len);
	task->path_len = happening->path.len;
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

/* The registers that a handler's return restores tell no number of a call. */
static void end_return(struct syscall_list *list, struct listed_task *task)
{
	struct listed_call call = { .fate = SYSCALL_NO_EXIT, .has_start = true };
	const char *name = syscall_list_name_of(list, task->number);

	if (!task->in_call || task->doubtful || (name && !restarts_is_return(name)))
		return;
	syscall_list_hand_on(list, task, &call);
	task->in_call = false;
}

/* A thread that executes a program gets the pid of the first one: its call ends there. */
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

static void syscall_list_feed_exit(struct syscall_list *list, const struct happening *happening)
{
	const struct fathom_event *event = happening->event;
	int64_t number = happening->call_number.number, result = happening->call_number.result;
	struct listed_call call = { .fate = SYSCALL_RETURNED,
				    .old_pid = happening->call_number.old_pid,
				    .end = event->time,
				    .result = result };
	struct listed_task *task = syscall_list_find_task(list, event->pid);

	if (!task)
		return;
	if (number < 0) {
		end_return(list, task);
		return;
	}
	syscall_list_learn_name(list, number, happening_syscall_name(happening));
	syscall_list_move_task(list, task, event->cpu);
	/* The other of two events again. */
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
	task->wanted |= !happening->unwanted;
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

static void syscall_list_feed_switch(struct syscall_list *list, const struct happening *happening)
{
	const struct fathom_event *event = happening->event;
	struct listed_task *prev = syscall_list_known_task(list, happening->sched.prev_pid);
	struct listed_task *next = syscall_list_known_task(list, happening->sched.next_pid);

	if (prev && happening->sched.prev_pid) {
		syscall_list_move_task(list, prev, event->cpu);
		if (prev->in_call && (happening->sched.prev == TASK_STATE_DEAD || prev->ended))
			prev->ended = event->time;
		/* That of an execution may be the first thread, with its pid: it shows later. */
		if (happening->sched.prev == TASK_STATE_DEAD && !syscall_list_is_exec(list, prev))
			syscall_list_cut(list, prev);
	}
	if (next && happening->sched.next_pid)
		syscall_list_move_task(list, next, event->cpu);
}

/* It ends in its call; what it still does for that follows. */
static void syscall_list_feed_task_exit(struct syscall_list *list,
					const struct happening *happening)
{
	struct listed_task *task = syscall_list_known_task(list, happening->task.pid);

	if (!task || !task->in_call)
		return;
	syscall_list_move_task(list, task, happening->event->cpu);
	task->ended = happening->event->time;
}

void syscall_list_feed(struct syscall_list *list, const struct happening *happening)
{
	if (list->nomem)
		return;
	gaps_note(&list->gaps, happening->event);
	if (!list->files.tracker.shared)
		restarts_listen(&list->tracking.restarts, syscall_list_take_restart, list);
	list->files.tracker.shared = &list->tracking;
	task_tracking_feed(&list->tracking, happening);
	/* What a call closes is asked for before, and what it opened behind. */
	if (happening->kind == HAPPENING_SYSCALL_ENTRY)
		syscall_list_feed_entry(list, happening);
	files_feed(&list->files, happening);
	if (happening_old_pid(happening))
		syscall_list_take_pid(list, happening_old_pid(happening), happening->event->pid);
	switch (happening->kind) {
	case HAPPENING_SYSCALL_EXIT:
		syscall_list_feed_exit(list, happening);
		break;
	case HAPPENING_PATH:
		syscall_list_feed_path(list, happening);
		break;
	case HAPPENING_SWITCH:
		syscall_list_feed_switch(list, happening);
		break;
	case HAPPENING_TASK_EXIT:
		syscall_list_feed_task_exit(list, happening);
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

	/* The map of tasks means nothing any more then. */
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
	if (nomem || list->nomem || list->gaps.nomem || list->files.nomem ||
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
	u64_map_done(&list->numbers);
	arena_done(&list->arena);
	free(list->tasks);
	free(list->names);
	*list = (struct syscall_list){ 0 };
}

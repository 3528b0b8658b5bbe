/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/exec-pids.h"

#include <stdlib.h>

#include "base/str.h"

#define CLONE_THREAD 0x00010000

/* The effect of a system call on tasks; 0 if not known yet. */
enum role {
	ROLE_OTHER = 1,
	ROLE_EXEC,
	ROLE_CLONE, /* creates a thread or a process, depending on flags */
	ROLE_FORK, /* creates a process */
};

/* How certain the process of a task is. */
enum kinship {
	KINSHIP_UNKNOWN,
	KINSHIP_MAYBE, /* either a thread of @process or a separate process */
	KINSHIP_SURE, /* a thread of @process, or its first */
};

struct exec_task {
	int32_t pid;
	int32_t process; /* pid of the first thread, as far as known */
	enum kinship kinship;
	bool in_exec;
	uint64_t exec_losses; /* gaps when it called execve() */
	bool has_flags; /* of its latest clone() */
	uint64_t flags;
	uint64_t flags_losses; /* gaps when it called clone() */
};

static struct exec_task *exec_pids_known_task(const struct exec_pids *execs, int32_t pid)
{
	uint32_t place = u64_map_get(&execs->pids, (uint32_t)pid);

	return place < execs->n ? &execs->tasks[place] : NULL;
}

static struct exec_task *exec_pids_find_task(struct exec_pids *execs, int32_t pid)
{
	struct exec_task *task = u64_map_element(&execs->pids, (uint32_t)pid, &execs->tasks,
						 &execs->n, &execs->cap, sizeof(*execs->tasks));

	if (!task)
		execs->nomem = true;
	else
		task->pid = pid;
	return task;
}

static void set_in_exec(struct exec_pids *execs, struct exec_task *task, bool in_exec)
{
	if (in_exec && !task->in_exec)
		execs->open++;
	else if (!in_exec && task->in_exec)
		execs->open--;
	task->in_exec = in_exec;
	task->exec_losses = execs->losses;
}

/* Identifies the call by its name; events of raw_syscalls have only numbers. */
static enum role role_of(struct exec_pids *execs, const struct decoded_event *decoded)
{
	int64_t number = decoded->call_number.number;
	const char *name;

	if (number < 0 || number >= EXEC_PIDS_NUMBERS)
		return ROLE_OTHER;
	if (execs->roles[number])
		return execs->roles[number];
	name = decoded_syscall_name(decoded);
	if (!name)
		return ROLE_OTHER;
	execs->roles[number] = str_has_word("execve execveat", " ", name) ? ROLE_EXEC :
			       str_has_word("clone clone3", " ", name)	  ? ROLE_CLONE :
			       str_has_word("fork vfork", " ", name)	  ? ROLE_FORK :
									    ROLE_OTHER;
	return execs->roles[number];
}

static void make_process(struct exec_pids *execs, int32_t pid)
{
	struct exec_task *task = exec_pids_find_task(execs, pid);

	if (!task)
		return;
	task->process = pid;
	task->kinship = KINSHIP_SURE;
}

/* Records that @maker created @pid. @is_sure: it is certainly a thread. */
static void make_thread(struct exec_pids *execs, int32_t maker, int32_t pid, bool is_sure)
{
	struct exec_task *task = exec_pids_find_task(execs, pid);
	const struct exec_task *by = exec_pids_known_task(execs, maker);

	if (!task)
		return;
	task->process = by && by->kinship ? by->process : maker;
	task->kinship = is_sure && !(by && by->kinship == KINSHIP_MAYBE) ? KINSHIP_SURE :
									   KINSHIP_MAYBE;
}

/* Reads the flags of clone(). Those of clone3() are in user memory. */
static void feed_clone(struct exec_pids *execs, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	const struct event_format *format;
	const struct event_field *field;
	struct exec_task *task;

	/* If both events of a call are recorded, the one of raw_syscalls has no named arguments. */
	if (!decoded_syscall_name(decoded))
		return;
	task = exec_pids_find_task(execs, event->pid);
	if (!task)
		return;
	format = decoded->entry->format;
	field = event_field_find(format, "clone_flags");
	task->has_flags = field &&
			  event_field_u64(format, field, event->data, event->size, &task->flags);
	task->flags_losses = execs->losses;
}

static void exec_pids_feed_entry(struct exec_pids *execs, const struct decoded_event *decoded)
{
	enum role role = role_of(execs, decoded);
	struct exec_task *task = NULL;

	if (role == ROLE_EXEC)
		task = exec_pids_find_task(execs, decoded->event->pid);
	else if (execs->open)
		task = exec_pids_known_task(execs, decoded->event->pid);
	if (task)
		set_in_exec(execs, task, role == ROLE_EXEC);
	if (role == ROLE_CLONE)
		feed_clone(execs, decoded);
}

/*
 * Returns whether the task is known to be of another process. The processes of tasks older than the
 * trace are unknown.
 */
static bool is_of_other(const struct exec_pids *execs, const struct exec_task *task,
			int32_t process)
{
	const struct exec_task *first = exec_pids_known_task(execs, task->process);

	return task->kinship == KINSHIP_SURE && task->process != process && first &&
	       first->kinship == KINSHIP_SURE && first->process == first->pid;
}

/*
 * Returns the thread of the process that is inside execve(), or NULL if there is none or more than
 * one candidate.
 */
static struct exec_task *find_thread(const struct exec_pids *execs, int32_t process)
{
	struct exec_task *sure = NULL, *maybe = NULL;
	size_t n_sure = 0, n_others = 0;

	if (!execs->tasks)
		return NULL;
	for (size_t i = 0; i < execs->n; i++) {
		struct exec_task *task = &execs->tasks[i];

		if (!task->in_exec || is_of_other(execs, task, process))
			continue;
		if (task->process != process || !task->kinship) {
			n_others++;
		} else if (task->kinship == KINSHIP_MAYBE) {
			maybe = task;
			n_others++;
		} else {
			sure = task;
			n_sure++;
		}
	}
	if (n_sure)
		return n_sure == 1 && sure->exec_losses == execs->losses ? sure : NULL;
	return n_others == 1 && !execs->losses ? maybe : NULL;
}

static void feed_exec_exit(struct exec_pids *execs, struct decoded_event *decoded)
{
	int32_t pid = decoded->event->pid;
	struct exec_task *task = exec_pids_known_task(execs, pid), *thread;

	if (task && task->in_exec) {
		set_in_exec(execs, task, false);
		/* Its pid did not change, so it is the first thread of its process. */
		if (decoded->call_number.result == 0) {
			task->process = pid;
			task->kinship = KINSHIP_SURE;
		}
		return;
	}
	thread = decoded->call_number.result == 0 ? find_thread(execs, pid) : NULL;
	if (!thread)
		return;
	decoded->call_number.old_pid = thread->pid;
	set_in_exec(execs, thread, false);
	thread->kinship = KINSHIP_UNKNOWN;
}

static void exec_pids_feed_exit(struct exec_pids *execs, struct decoded_event *decoded)
{
	enum role role = role_of(execs, decoded);
	int32_t pid = decoded->event->pid;
	int64_t result = decoded->call_number.result;
	struct exec_task *task =
		execs->open || role == ROLE_CLONE ? exec_pids_known_task(execs, pid) : NULL;
	bool has_flags;

	if (role == ROLE_EXEC) {
		if (execs->open)
			feed_exec_exit(execs, decoded);
		return;
	}
	if (task && task->in_exec)
		set_in_exec(execs, task, false);
	if ((role != ROLE_CLONE && role != ROLE_FORK) || execs->has_new_tasks || result <= 0 ||
	    result > INT32_MAX)
		return;
	has_flags = task && task->has_flags && task->flags_losses == execs->losses;
	if (role == ROLE_FORK || (has_flags && !(task->flags & CLONE_THREAD)))
		make_process(execs, (int32_t)result);
	else
		make_thread(execs, pid, (int32_t)result, has_flags);
}

/* Continues the call under the new pid. */
static void exec_pids_feed_exec(struct exec_pids *execs, const struct decoded_event *decoded)
{
	struct exec_task *from = exec_pids_known_task(execs, decoded->path.old_pid), *to;

	if (decoded->path.old_pid == decoded->event->pid || !from || !from->in_exec)
		return;
	set_in_exec(execs, from, false);
	from->kinship = KINSHIP_UNKNOWN;
	to = exec_pids_find_task(execs, decoded->event->pid);
	if (to)
		set_in_exec(execs, to, true);
}

void exec_pids_feed(struct exec_pids *execs, struct decoded_event *decoded)
{
	if (decoded_has_gap(decoded))
		execs->losses++;
	switch (decoded->kind) {
	case DECODED_SYSCALL_ENTRY:
		exec_pids_feed_entry(execs, decoded);
		break;
	case DECODED_SYSCALL_EXIT:
		exec_pids_feed_exit(execs, decoded);
		break;
	case DECODED_NEW_TASK:
		execs->has_new_tasks = true;
		if (decoded->task.flags & CLONE_THREAD)
			make_thread(execs, decoded->event->pid, decoded->task.pid, true);
		else
			make_process(execs, decoded->task.pid);
		break;
	case DECODED_EXEC:
		exec_pids_feed_exec(execs, decoded);
		break;
	default:
		break;
	}
}

void exec_pids_done(struct exec_pids *execs)
{
	u64_map_done(&execs->pids);
	free(execs->tasks);
	*execs = (struct exec_pids){ 0 };
}

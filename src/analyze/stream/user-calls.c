/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/user-calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/*
 * Limits against damaged traces: deeper recursion, and more traps between two returns to user mode,
 * are dropped.
 */
#define FRAMES_MAX 2000
#define LATER_MAX  4096

#define CLONE_VM    0x100
#define CLONE_VFORK 0x4000

struct user_frame {
	uint64_t func;
	uint64_t stack; /* stack pointer; 0 if unknown */
	uint64_t start;
	bool no_start;
	bool doubt; /* events were lost since its entry */
};

enum later_kind {
	LATER_CALL,
	LATER_RETURN,
	LATER_EXEC,
};

/* A change that takes effect when the task returns to user mode. */
struct later {
	enum later_kind kind;
	uint64_t func, stack;
};

struct user_task {
	struct user_frame *frames; /* outermost first */
	size_t n, cap;
	struct later *later;
	size_t n_later, cap_later;
	unsigned open; /* kernel functions */
	bool in_syscall;
	bool is_new; /* @frames are those of its parent, and not passed on yet */
	bool was_seen;
	struct gaps_mark mark; /* at its last event */
};

struct feeding {
	struct user_calls *calls;
	const struct decoded_event *now;
	user_calls_taker *take;
	void *data;
};

static struct user_task *user_calls_find_task(struct user_calls *calls, int32_t pid)
{
	struct user_task *task = u64_map_element(&calls->pids, (uint32_t)pid, &calls->tasks,
						 &calls->n, &calls->cap, sizeof(*task));

	calls->nomem |= !task;
	return task;
}

/* Passes on a call that begins or ends now. */
static void user_calls_hand_on(const struct feeding *feeding, enum decoded_kind kind,
			       const struct user_frame *frame, size_t depth)
{
	struct fathom_event event = *feeding->now->event;
	struct decoded_event made = { .kind = kind, .event = &event, .entry = feeding->now->entry };

	/* The loss is reported by the event from which this one is made. */
	event.missed = 0;
	made.unwanted = feeding->now->unwanted;
	made.call.func = frame->func;
	made.call.is_user = true;
	made.call.no_start = frame->no_start;
	made.call.depth = (int)depth;
	made.call.users = (unsigned)depth;
	if (kind == DECODED_RETURN && !frame->no_start && event.time > frame->start)
		made.call.duration = event.time - frame->start;
	feeding->take(feeding->data, &made);
}

static void user_calls_begin(const struct feeding *feeding, struct user_task *task, uint64_t func,
			     uint64_t stack)
{
	/* The stack grows down: functions further down were left without an exit. */
	while (stack && task->n) {
		const struct user_frame *frame = &task->frames[task->n - 1];

		if (!frame->stack || frame->stack > stack ||
		    (frame->stack == stack && !frame->doubt))
			break;
		task->n--;
	}
	if (task->n >= FRAMES_MAX)
		task->n = 0;
	if (mem_reserve(&task->frames, &task->cap, task->n + 1, sizeof(*task->frames)) < 0) {
		feeding->calls->nomem = true;
		return;
	}
	task->frames[task->n] = (struct user_frame){ .func = func,
						     .stack = stack,
						     .start = feeding->now->event->time };
	user_calls_hand_on(feeding, DECODED_CALL, &task->frames[task->n], task->n);
	task->n++;
}

static void user_calls_end(const struct feeding *feeding, struct user_task *task, uint64_t func)
{
	const struct user_frame unknown = { .func = func, .no_start = true };
	size_t at = task->n;

	while (at && task->frames[at - 1].func != func)
		at--;
	if (!at) {
		user_calls_hand_on(feeding, DECODED_RETURN, &unknown, task->n);
		return;
	}
	task->n = at - 1;
	user_calls_hand_on(feeding, DECODED_RETURN, &task->frames[task->n], task->n);
}

/* Applies pending changes when the task is back in user mode. */
static void catch_up(const struct feeding *feeding, struct user_task *task)
{
	for (size_t i = 0; i < task->n_later; i++) {
		const struct later *later = &task->later[i];

		if (later->kind == LATER_CALL)
			user_calls_begin(feeding, task, later->func, later->stack);
		else if (later->kind == LATER_RETURN)
			user_calls_end(feeding, task, later->func);
		else
			task->n = 0;
	}
	task->n_later = 0;
}

static void put_off(struct user_calls *calls, struct user_task *task, const struct later *later)
{
	if (task->n_later >= LATER_MAX ||
	    mem_reserve(&task->later, &task->cap_later, task->n_later + 1, sizeof(*task->later)) <
		    0) {
		calls->nomem |= task->n_later < LATER_MAX;
		return;
	}
	task->later[task->n_later++] = *later;
}

/* Copies the open functions of its parent to a new task. */
static void inherit(const struct feeding *feeding, const struct decoded_event *decoded)
{
	struct user_calls *calls = feeding->calls;
	struct user_task *child = user_calls_find_task(calls, decoded->task.pid), *parent;

	/* Adding the child may have moved the list. */
	parent = child ? user_calls_find_task(calls, decoded->event->pid) : NULL;
	child = parent ? user_calls_find_task(calls, decoded->task.pid) : NULL;
	if (!child || child == parent)
		return;
	child->n = child->n_later = child->open = 0;
	child->in_syscall = false;
	child->was_seen = false;
	if ((decoded->task.flags & CLONE_VM && !(decoded->task.flags & CLONE_VFORK)) || !parent->n)
		return;
	if (mem_reserve(&child->frames, &child->cap, parent->n, sizeof(*child->frames)) < 0) {
		calls->nomem = true;
		return;
	}
	for (size_t i = 0; i < parent->n; i++) {
		child->frames[i] = parent->frames[i];
		child->frames[i].no_start = true;
	}
	child->n = parent->n;
	child->is_new = true;
}

/* Must be called first for each event of a task. */
static void user_calls_touch(const struct feeding *feeding, struct user_task *task)
{
	const struct fathom_event *event = feeding->now->event;

	if (gaps_crossed(&feeding->calls->gaps, &task->mark, event->cpu, event->time) &&
	    task->was_seen) {
		for (size_t i = 0; i < task->n; i++)
			task->frames[i].doubt = true;
		task->open = 0;
		task->in_syscall = false;
		catch_up(feeding, task);
	}
	task->was_seen = true;
	if (!task->is_new)
		return;
	task->is_new = false;
	for (size_t i = 0; i < task->n; i++)
		user_calls_hand_on(feeding, DECODED_CALL, &task->frames[i], i);
}

/* Follows kernel functions and system calls. Returns true if the task may be back in user mode. */
static bool user_calls_follow(const struct feeding *feeding, struct user_task *task,
			      struct decoded_event *decoded)
{
	switch (decoded->kind) {
	case DECODED_CALL:
		if (decoded->call.depth == 0 && !task->in_syscall)
			catch_up(feeding, task);
		task->open = (unsigned)decoded->call.depth + 1;
		break;
	case DECODED_RETURN:
		task->open = (unsigned)decoded->call.depth;
		break;
	case DECODED_SYSCALL_ENTRY:
		if (!task->open)
			catch_up(feeding, task);
		task->in_syscall = true;
		return false;
	case DECODED_SYSCALL_EXIT:
		task->in_syscall = false;
		return !task->open;
	default:
		return false;
	}
	decoded->call.users = (unsigned)task->n;
	decoded->call.depth += (int)task->n;
	return decoded->kind == DECODED_RETURN && !task->open && !task->in_syscall;
}

static void user_calls_feed_user(const struct feeding *feeding, struct user_task *task,
				 const struct decoded_event *decoded)
{
	const struct later later = { .kind = decoded->call.is_end ? LATER_RETURN : LATER_CALL,
				     .func = decoded->call.func,
				     .stack = decoded->call.stack };

	/* The trap interrupted user mode. */
	task->in_syscall = false;
	put_off(feeding->calls, task, &later);
	if (!task->open)
		catch_up(feeding, task);
}

static void user_calls_feed_switch(struct user_calls *calls, const struct decoded_event *decoded)
{
	uint32_t place = u64_map_get(&calls->pids, (uint32_t)decoded->sched.prev_pid);

	if (place == U64_MAP_NONE || decoded->sched.prev != TASK_STATE_DEAD)
		return;
	calls->tasks[place].n = calls->tasks[place].n_later = 0;
	calls->tasks[place].open = 0;
	calls->tasks[place].in_syscall = false;
}

void user_calls_feed(struct user_calls *calls, struct decoded_event *decoded,
		     user_calls_taker *take, void *data)
{
	const struct fathom_event *event = decoded->event;
	struct feeding feeding = { calls, decoded, take, data };
	struct user_task *task;
	bool is_back = false;

	if (!calls->users) {
		take(data, decoded);
		return;
	}
	gaps_note(&calls->gaps, decoded);
	calls->nomem |= calls->gaps.nomem;
	task = event->pid > 0 ? user_calls_find_task(calls, event->pid) : NULL;
	if (task) {
		user_calls_touch(&feeding, task);
		is_back = user_calls_follow(&feeding, task, decoded);
	}
	/* Also pass on the events of user functions: they may report lost events. */
	take(data, decoded);
	if (task && decoded->kind == DECODED_USER)
		user_calls_feed_user(&feeding, task, decoded);
	if (task && decoded->kind == DECODED_EXEC)
		put_off(calls, task, &(struct later){ .kind = LATER_EXEC });
	if (is_back)
		catch_up(&feeding, task);
	if (task && decoded->kind == DECODED_NEW_TASK)
		inherit(&feeding, decoded);
	else if (decoded->kind == DECODED_SWITCH)
		user_calls_feed_switch(calls, decoded);
}

void user_calls_done(struct user_calls *calls)
{
	for (size_t i = 0; i < calls->n; i++) {
		free(calls->tasks[i].frames);
		free(calls->tasks[i].later);
	}
	free(calls->tasks);
	gaps_done(&calls->gaps);
	u64_map_done(&calls->pids);
	*calls = (struct user_calls){ 0 };
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/user-calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/probe/probed-functions.h"

#define CPUS_MAX 65536
/* Deeper recursion is not followed; nor are more traps at once than anything can make. */
#define FRAMES_MAX 2000
#define LATER_MAX  4096

#define CLONE_VM    0x100
#define CLONE_VFORK 0x4000

struct user_frame {
	uint64_t func;
	uint64_t stack; /* 0: not known */
	uint64_t start;
	bool no_start;
	bool doubt; /* events were lost since */
};

enum later_kind {
	LATER_CALL,
	LATER_RETURN,
	LATER_EXEC,
};

/* What takes place when the task goes back to its program. */
struct later {
	enum later_kind kind;
	uint64_t func, stack;
};

struct user_task {
	struct user_frame *frames; /* from the outermost */
	size_t n, cap;
	struct later *later;
	size_t n_later, cap_later;
	unsigned open; /* functions of the kernel */
	bool in_syscall;
	bool is_new; /* @frames are those of its parent, and nobody was told of them */
	uint32_t cpu; /* where it was last */
	uint64_t last; /* time of its last event */
};

struct feeding {
	struct user_calls *calls;
	const struct happening *now;
	user_calls_taker *take;
	void *data;
};

static uint64_t *find_gap(struct user_calls *calls, uint32_t cpu)
{
	if (cpu >= CPUS_MAX ||
	    mem_reserve(&calls->gaps, &calls->cap_gaps, cpu + (size_t)1, sizeof(uint64_t)) < 0) {
		calls->nomem = true;
		return NULL;
	}
	while (calls->n_gaps <= cpu)
		calls->gaps[calls->n_gaps++] = 0;
	return &calls->gaps[cpu];
}

static struct user_task *user_calls_find_task(struct user_calls *calls, int32_t pid)
{
	struct user_task *task = u64_map_element(&calls->pids, (uint32_t)pid, &calls->tasks,
						 &calls->n, &calls->cap, sizeof(*task));

	calls->nomem |= !task;
	return task;
}

/* A call that begins or ends now. */
static void user_calls_hand_on(const struct feeding *feeding, enum happening_kind kind,
			       const struct user_frame *frame, size_t depth)
{
	struct fathom_event event = *feeding->now->event;
	struct happening made = { .kind = kind, .event = &event, .entry = feeding->now->entry };

	/* They were lost before what is happening, and that tells of it. */
	event.missed = 0;
	made.unwanted = feeding->now->unwanted;
	made.call.func = frame->func;
	made.call.is_user = true;
	made.call.no_start = frame->no_start;
	made.call.depth = (int)depth;
	made.call.users = (unsigned)depth;
	if (kind == HAPPENING_RETURN && !frame->no_start && event.time > frame->start)
		made.call.duration = event.time - frame->start;
	feeding->take(feeding->data, &made);
}

static void user_calls_begin(const struct feeding *feeding, struct user_task *task, uint64_t func,
			     uint64_t stack)
{
	/* What was further down the stack, which grows down, has been left without a return. */
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
	user_calls_hand_on(feeding, HAPPENING_CALL, &task->frames[task->n], task->n);
	task->n++;
}

static void user_calls_end(const struct feeding *feeding, struct user_task *task, uint64_t func)
{
	const struct user_frame unknown = { .func = func, .no_start = true };
	size_t at = task->n;

	while (at && task->frames[at - 1].func != func)
		at--;
	if (!at) {
		user_calls_hand_on(feeding, HAPPENING_RETURN, &unknown, task->n);
		return;
	}
	task->n = at - 1;
	user_calls_hand_on(feeding, HAPPENING_RETURN, &task->frames[task->n], task->n);
}

/* The task is in its program again. */
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

/* The functions of its parent that a new task is in. */
static void inherit(const struct feeding *feeding, const struct happening *happening)
{
	struct user_calls *calls = feeding->calls;
	struct user_task *child = user_calls_find_task(calls, happening->task.pid), *parent;

	/* The list may have moved. */
	parent = child ? user_calls_find_task(calls, happening->event->pid) : NULL;
	child = parent ? user_calls_find_task(calls, happening->task.pid) : NULL;
	if (!child || child == parent)
		return;
	child->n = child->n_later = child->open = 0;
	child->in_syscall = false;
	child->last = 0;
	if ((happening->task.flags & CLONE_VM && !(happening->task.flags & CLONE_VFORK)) ||
	    !parent->n)
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

/* Before anything is done with an event of a task. */
static void user_calls_touch(const struct feeding *feeding, struct user_task *task)
{
	const struct fathom_event *event = feeding->now->event;
	const uint64_t *gaps;

	if (!find_gap(feeding->calls, event->cpu))
		return;
	gaps = feeding->calls->gaps;
	if (task->last && (gaps[event->cpu] > task->last || gaps[task->cpu] > task->last)) {
		for (size_t i = 0; i < task->n; i++)
			task->frames[i].doubt = true;
		task->open = 0;
		task->in_syscall = false;
		catch_up(feeding, task);
	}
	task->cpu = event->cpu;
	task->last = event->time;
	if (!task->is_new)
		return;
	task->is_new = false;
	for (size_t i = 0; i < task->n; i++)
		user_calls_hand_on(feeding, HAPPENING_CALL, &task->frames[i], i);
}

/* What comes with a function of the kernel or a system call. True: the task may be back in its program. */
static bool user_calls_follow(const struct feeding *feeding, struct user_task *task,
			      struct happening *happening)
{
	switch (happening->kind) {
	case HAPPENING_CALL:
		if (happening->call.depth == 0 && !task->in_syscall)
			catch_up(feeding, task);
		task->open = (unsigned)happening->call.depth + 1;
		break;
	case HAPPENING_RETURN:
		task->open = (unsigned)happening->call.depth;
		break;
	case HAPPENING_SYSCALL_ENTRY:
		if (!task->open)
			catch_up(feeding, task);
		task->in_syscall = true;
		return false;
	case HAPPENING_SYSCALL_EXIT:
		task->in_syscall = false;
		return !task->open;
	default:
		return false;
	}
	happening->call.users = (unsigned)task->n;
	happening->call.depth += (int)task->n;
	return happening->kind == HAPPENING_RETURN && !task->open && !task->in_syscall;
}

static void user_calls_feed_user(const struct feeding *feeding, struct user_task *task,
				 const struct happening *happening)
{
	const struct later later = { .kind = happening->call.is_end ? LATER_RETURN : LATER_CALL,
				     .func = happening->call.func,
				     .stack = happening->call.stack };

	/* It was in the program a moment ago. */
	task->in_syscall = false;
	put_off(feeding->calls, task, &later);
	if (!task->open)
		catch_up(feeding, task);
}

static void user_calls_feed_switch(struct user_calls *calls, const struct happening *happening)
{
	uint32_t place = u64_map_get(&calls->pids, (uint32_t)happening->sched.prev_pid);

	if (place == U64_MAP_NONE || happening->sched.prev != TASK_STATE_DEAD)
		return;
	calls->tasks[place].n = calls->tasks[place].n_later = 0;
	calls->tasks[place].open = 0;
	calls->tasks[place].in_syscall = false;
}

void user_calls_feed(struct user_calls *calls, struct happening *happening, user_calls_taker *take,
		     void *data)
{
	const struct fathom_event *event = happening->event;
	struct feeding feeding = { calls, happening, take, data };
	struct user_task *task;
	bool is_back = false;

	if (!calls->users) {
		take(data, happening);
		return;
	}
	if (event->missed) {
		uint64_t *gap = find_gap(calls, event->cpu);

		if (gap)
			*gap = event->time;
	}
	task = event->pid > 0 ? user_calls_find_task(calls, event->pid) : NULL;
	if (task) {
		user_calls_touch(&feeding, task);
		is_back = user_calls_follow(&feeding, task, happening);
	}
	/* Events that tell of functions of programs are handed on, too: some may have been lost. */
	take(data, happening);
	if (task && happening->kind == HAPPENING_USER)
		user_calls_feed_user(&feeding, task, happening);
	if (task && happening->kind == HAPPENING_EXEC)
		put_off(calls, task, &(struct later){ .kind = LATER_EXEC });
	if (is_back)
		catch_up(&feeding, task);
	if (task && happening->kind == HAPPENING_NEW_TASK)
		inherit(&feeding, happening);
	else if (happening->kind == HAPPENING_SWITCH)
		user_calls_feed_switch(calls, happening);
}

void user_calls_done(struct user_calls *calls)
{
	for (size_t i = 0; i < calls->n; i++) {
		free(calls->tasks[i].frames);
		free(calls->tasks[i].later);
	}
	free(calls->tasks);
	free(calls->gaps);
	u64_map_done(&calls->pids);
	*calls = (struct user_calls){ 0 };
}

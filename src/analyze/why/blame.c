/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/why/blame.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/calls/open-calls.h"
#include "analyze/stream/task-key.h"
#include "analyze/why/meanings.h"
#include "base/mem.h"

#define ERROR_MAX 4095 /* as in the kernel */
#define DEPTH_MAX 512
#define ERRORS	  6 /* number of different errors kept per call */

struct blame_func {
	bool read;
	bool is_check, asks, passes, through, swaps;
	int error_of_zero, error_of_one;
};

/* An open call, with the errors of its callees. */
struct frame {
	uint32_t func; /* FUNC_NONE: its entry was not recorded */
	bool called; /* it made calls */
	int capability; /* checked last; -1: none */
	unsigned n_errors, n_checks;
	struct blame_step *errors[ERRORS]; /* distinct errors, latest last */
	struct blame_check checks[BLAME_CHECKS];
};

struct blame_task {
	struct frame *frames; /* the first one is the system call itself */
	size_t n, cap;
	size_t returning; /* see open-calls.h; without the system call */
	uint64_t tag;
	struct gaps_mark mark;
};

/* The register may contain an int, with an undefined upper half, or a pointer. */
static int error_of(int64_t result)
{
	if (result < 0 && result >= -ERROR_MAX)
		return (int)-result;
	if (result > INT32_MAX && result <= UINT32_MAX && (int32_t)result >= -ERROR_MAX)
		return -(int32_t)result;
	return 0;
}

static void blame_drop(struct blame *blame, struct blame_step *step)
{
	while (step) {
		struct blame_step *inner = step->inner;

		step->inner = blame->unused;
		blame->unused = step;
		step = inner;
	}
}

static void drop_errors(struct blame *blame, struct frame *frame)
{
	for (unsigned i = 0; i < frame->n_errors; i++)
		blame_drop(blame, frame->errors[i]);
	frame->n_errors = 0;
}

static void remove_error(struct frame *frame, unsigned i)
{
	for (frame->n_errors--; i < frame->n_errors; i++)
		frame->errors[i] = frame->errors[i + 1];
}

/* Of equal errors, the later one counts: the earlier attempt was repeated. */
static void add_error(struct blame *blame, struct frame *frame, struct blame_step *step)
{
	unsigned i;

	for (i = 0; i < frame->n_errors; i++)
		if (frame->errors[i]->error == step->error && frame->errors[i]->tag == step->tag)
			break;
	if (i == frame->n_errors && i == ERRORS)
		i = 0;
	if (i < frame->n_errors) {
		blame_drop(blame, frame->errors[i]);
		remove_error(frame, i);
	}
	frame->errors[frame->n_errors++] = step;
}

static void add_check(struct frame *frame, const struct blame_check *check)
{
	if (frame->n_checks == BLAME_CHECKS) {
		for (unsigned i = 1; i < BLAME_CHECKS; i++)
			frame->checks[i - 1] = frame->checks[i];
		frame->n_checks--;
	}
	frame->checks[frame->n_checks++] = *check;
}

/* Removes and returns the error in the frame from which @error came. */
static struct blame_step *take_error(const struct blame *blame, struct frame *frame, int error)
{
	unsigned at = frame->n_errors;
	struct blame_step *step;

	/* Prefer the same error, then one that can become it. */
	for (unsigned i = frame->n_errors; i-- && at == frame->n_errors;)
		if (frame->errors[i]->error == error)
			at = i;
	for (unsigned i = frame->n_errors; i-- && at == frame->n_errors && blame->meanings;)
		if (meanings_becomes(blame->meanings, frame->errors[i]->error, error))
			at = i;
	if (at == frame->n_errors)
		return NULL;
	step = frame->errors[at];
	remove_error(frame, at);
	return step;
}

static const struct blame_func *rules_of(struct blame *blame, uint32_t func)
{
	struct blame_func *known;
	const char *name = blame->funcs.list[func].name;

	if (mem_reserve(&blame->known, &blame->cap_known, blame->funcs.n, sizeof(*known)) < 0) {
		blame->nomem = true;
		return NULL;
	}
	while (blame->n_known < blame->funcs.n)
		blame->known[blame->n_known++] = (struct blame_func){ 0 };
	known = &blame->known[func];
	if (!known->read && name && blame->meanings) {
		known->is_check = meanings_is_check(blame->meanings, name);
		known->asks = meanings_is_question(blame->meanings, name);
		known->passes = meanings_is_passing(blame->meanings, name);
		known->through = meanings_is_through(blame->meanings, name);
		known->swaps = meanings_is_swapping(blame->meanings, name);
		known->error_of_one = meanings_error_of_one(blame->meanings, name);
		known->error_of_zero = meanings_error_of_zero(blame->meanings, name);
	}
	known->read = true;
	return known;
}

static struct blame_step *new_step(struct blame *blame)
{
	struct blame_step *step = blame->unused;

	if (step)
		blame->unused = step->inner;
	else
		step = mem_alloc(sizeof(*step));
	if (!step)
		blame->nomem = true;
	return step;
}

/* Adds a step for the last call, which returned @error. */
static void end_failed(struct blame *blame, struct blame_task *task, int error)
{
	struct frame *frame = &task->frames[task->n - 1];
	struct blame_step *step = new_step(blame);

	if (!step)
		return;
	*step = (struct blame_step){ .func = frame->func,
				     .error = error,
				     .tag = task->tag,
				     .n_checks = frame->n_checks,
				     .inner = take_error(blame, frame, error) };
	for (unsigned i = 0; i < frame->n_checks; i++)
		step->checks[i] = frame->checks[i];
	add_error(blame, frame - 1, step);
}

/* Interrupts are not part of the system call, wherever they occur. */
static bool blame_is_interrupt(const struct blame *blame, uint32_t func)
{
	return func != FUNC_NONE && blame->funcs.list[func].flags & (FUNC_IRQ | FUNC_SOFTIRQ);
}

/* Ends the last call, whose result is unknown. */
static void blame_end_unknown(struct blame *blame, struct blame_task *task)
{
	struct frame *frame = &task->frames[task->n - 1];

	if (blame_is_interrupt(blame, frame->func)) {
		drop_errors(blame, frame);
	} else {
		for (unsigned i = 0; i < frame->n_errors; i++)
			add_error(blame, frame - 1, frame->errors[i]);
		for (unsigned i = 0; i < frame->n_checks; i++)
			add_check(frame - 1, &frame->checks[i]);
		if (frame->capability >= 0)
			frame[-1].capability = frame->capability;
	}
	frame->n_errors = 0;
	task->n--;
}

static void blame_end_known(struct blame *blame, struct blame_task *task, int64_t result)
{
	struct frame *frame = &task->frames[task->n - 1];
	const struct blame_func *rules = rules_of(blame, frame->func);
	int error = error_of(result);
	struct blame_check check;

	if (!rules || blame_is_interrupt(blame, frame->func) || (!error && rules->through))
		return blame_end_unknown(blame, task);
	check = (struct blame_check){ .func = frame->func, .capability = frame->capability };
	if (rules->error_of_zero)
		check.refused = result ? 0 : rules->error_of_zero;
	else if (rules->error_of_one)
		check.refused = result ? rules->error_of_one : 0;
	else if (rules->asks)
		check.refused = error;
	if (rules->error_of_zero || rules->error_of_one || rules->asks) {
		add_check(frame - 1, &check);
		if (frame->capability >= 0)
			frame[-1].capability = frame->capability;
	} else if (error && (frame->called || !rules->passes)) {
		end_failed(blame, task, error);
	} else if (!error && rules->is_check) {
		add_check(frame - 1, &check);
	}
	drop_errors(blame, frame);
	task->n--;
}

static bool blame_push(struct blame *blame, struct blame_task *task, uint32_t func)
{
	if (mem_reserve(&task->frames, &task->cap, task->n + 1, sizeof(*task->frames)) < 0) {
		blame->nomem = true;
		return false;
	}
	if (task->n && !blame_is_interrupt(blame, func))
		task->frames[task->n - 1].called = true;
	task->frames[task->n++] = (struct frame){ .func = func, .capability = -1 };
	return true;
}

static void blame_forget(struct blame *blame, struct blame_task *task)
{
	while (task->n)
		drop_errors(blame, &task->frames[--task->n]);
	task->returning = 0;
	task->tag = 0;
}

static struct blame_task *blame_find_task(struct blame *blame, const struct fathom_event *event)
{
	struct blame_task *task = u64_map_element(&blame->keys, (uint64_t)task_key_of(event),
						  &blame->tasks, &blame->n_tasks, &blame->cap_tasks,
						  sizeof(*task));

	if (!task) {
		blame->nomem = true;
		return NULL;
	}
	/* The open calls may have ended. */
	if (gaps_crossed(&blame->gaps, &task->mark, event->cpu, event->time))
		blame_forget(blame, task);
	return task;
}

/* Returns how many calls are open around that of the event, including the system call. */
static size_t blame_open_around(const struct blame *blame, struct blame_task *task, uint32_t func,
				const struct decoded_event *decoded)
{
	const unsigned not_returning = FUNC_IRQ | FUNC_SOFTIRQ | FUNC_USER;
	const struct func *funcs = blame->funcs.list;
	struct open_calls open = { .innermost = FUNC_NONE };
	const struct call_edge edge = { .func = func,
					.level = decoded->call.depth,
					.is_interrupt = funcs[func].flags & FUNC_IRQ,
					.is_exit = decoded->kind == DECODED_RETURN };

	if (task->n > 1) {
		open.n = task->n - 1;
		open.innermost = task->frames[task->n - 1].func;
	}
	if (open.innermost != FUNC_NONE)
		open.may_return = !(funcs[open.innermost].flags & not_returning);
	return (size_t)open_calls_level(&open, &edge, &task->returning) + 1;
}

static void blame_feed_call(struct blame *blame, const struct decoded_event *decoded)
{
	int depth = decoded->call.depth;
	uint32_t func = func_table_find(&blame->funcs, decoded->call.func);
	struct blame_task *task = blame_find_task(blame, decoded->event);
	bool is_end = decoded->kind == DECODED_RETURN;
	size_t open;

	if (!task || func == FUNC_NONE) {
		blame->nomem = true;
		return;
	}
	if (depth < 0 || depth >= DEPTH_MAX)
		return;
	open = blame_open_around(blame, task, func, decoded);
	while (task->n > open + is_end)
		blame_end_unknown(blame, task);
	/*
	 * The exit of another function: the exit of the open one and the entry of this one were
	 * lost.
	 */
	if (is_end && task->n == open + 1 && task->frames[open].func != FUNC_NONE &&
	    !open_call_ends(task->frames[open].func, 0, func, 0)) {
		blame_forget(blame, task);
		return;
	}
	while (task->n < open)
		if (!blame_push(blame, task, FUNC_NONE))
			return;
	if (!is_end) {
		blame_push(blame, task, func);
	} else if (task->n == open + 1) {
		task->frames[open].func = func;
		blame->has_results |= decoded->call.has_more;
		if (decoded->call.has_more)
			blame_end_known(blame, task, decoded->call.result);
		else
			blame_end_unknown(blame, task);
	}
}

void blame_feed(struct blame *blame, const struct decoded_event *decoded)
{
	struct blame_task *task;

	gaps_note(&blame->gaps, decoded);
	switch (decoded->kind) {
	case DECODED_CALL:
	case DECODED_RETURN:
		blame_feed_call(blame, decoded);
		break;
	case DECODED_CAPABILITY:
		task = blame_find_task(blame, decoded->event);
		if (task && task->n)
			task->frames[task->n - 1].capability = (int)decoded->amount.value;
		break;
	case DECODED_SYSCALL_ENTRY:
	case DECODED_SYSCALL_EXIT:
		task = blame_find_task(blame, decoded->event);
		if (task)
			blame_forget(blame, task);
		break;
	default:
		break;
	}
}

/*
 * Returns a step for the last check that may be the reason, if no function was seen to return the
 * error.
 */
static struct blame_step *step_of_check(struct blame *blame, const struct frame *frame, int error)
{
	for (unsigned i = frame->n_checks; i--;) {
		const struct blame_check *check = &frame->checks[i];
		struct blame_step *step;

		if (!check->refused || !meanings_becomes(blame->meanings, check->refused, error))
			continue;
		step = new_step(blame);
		if (step)
			*step = (struct blame_step){ .func = check->func,
						     .error = check->refused,
						     .is_check = true,
						     .n_checks = 1,
						     .checks[0] = *check };
		return step;
	}
	return NULL;
}

/*
 * Returns the chain of an error that a function on it replaced by another one, for the program
 * only.
 */
static struct blame_step *take_swapped(struct blame *blame, struct frame *frame)
{
	for (unsigned i = frame->n_errors; i--;)
		for (struct blame_step *step = frame->errors[i]; step; step = step->inner) {
			const struct blame_func *rules =
				step->func == FUNC_NONE ? NULL : rules_of(blame, step->func);

			if (!rules || !rules->swaps)
				continue;
			step = frame->errors[i];
			remove_error(frame, i);
			return step;
		}
	return NULL;
}

const struct blame_step *blame_find(struct blame *blame, int32_t pid, int error)
{
	uint32_t at = u64_map_get(&blame->keys, (uint64_t)task_key(pid, 0));
	struct blame_task *task = at == U64_MAP_NONE ? NULL : &blame->tasks[at];
	struct blame_step *step;

	if (!task || !task->n)
		return NULL;
	while (task->n > 1)
		blame_end_unknown(blame, task);
	step = take_error(blame, &task->frames[0], error);
	if (!step)
		step = take_swapped(blame, &task->frames[0]);
	if (!step && blame->meanings)
		step = step_of_check(blame, &task->frames[0], error);
	if (step)
		add_error(blame, &task->frames[0], step);
	return step;
}

const struct blame_step *blame_peek(const struct blame *blame, int32_t pid, int error, uint64_t tag)
{
	uint32_t at = u64_map_get(&blame->keys, (uint64_t)task_key(pid, 0));
	const struct blame_task *task = at == U64_MAP_NONE ? NULL : &blame->tasks[at];

	for (size_t i = task ? task->n : 0; i--;)
		for (unsigned k = task->frames[i].n_errors; k--;) {
			const struct blame_step *step = task->frames[i].errors[k];

			if (step->error == error && step->tag == tag)
				return step;
		}
	return NULL;
}

void blame_tag(struct blame *blame, int32_t pid, uint64_t tag)
{
	uint32_t at = u64_map_get(&blame->keys, (uint64_t)task_key(pid, 0));

	if (at != U64_MAP_NONE)
		blame->tasks[at].tag = tag;
}

void blame_done(struct blame *blame)
{
	for (size_t i = 0; i < blame->n_tasks; i++) {
		blame_forget(blame, &blame->tasks[i]);
		free(blame->tasks[i].frames);
	}
	while (blame->unused) {
		struct blame_step *step = blame->unused;

		blame->unused = step->inner;
		free(step);
	}
	free(blame->tasks);
	free(blame->known);
	u64_map_done(&blame->keys);
	gaps_done(&blame->gaps);
	func_table_done(&blame->funcs);
}

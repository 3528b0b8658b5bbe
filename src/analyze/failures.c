/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/failures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"

static void failure_done(struct failure *failure)
{
	free(failure->text);
	free(failure->steps);
}

static bool same_way(const struct failure *a, const struct failure *b)
{
	if (a->n_steps != b->n_steps)
		return false;
	for (size_t i = 0; i < a->n_steps; i++)
		if (a->steps[i].func != b->steps[i].func)
			return false;
	return true;
}

/* Puts @failure, which is taken over, at the end, in the place of one of the same kind. */
static void add(struct failures *failures, struct failure *failure)
{
	size_t at, keep;

	for (at = 0; at < failures->n; at++) {
		const struct failure *other = &failures->found[at];

		if (other->error == failure->error && other->signal == failure->signal &&
		    (failures->of_all || other->pid == failure->pid) &&
		    strcmp(other->text, failure->text) == 0 && same_way(other, failure))
			break;
	}
	if (at == failures->n && at == FAILURES_MAX)
		for (at = 0; at < failures->n - 1 &&
			     (failures->found[at].told || failures->found[at].last);)
			at++;
	else if (at < failures->n)
		failure->count += failures->found[at].count;
	if (at == failures->n) {
		if (mem_reserve(&failures->found, &failures->cap, failures->n + 1,
				sizeof(*failures->found)) < 0) {
			failures->nomem = true;
			failure_done(failure);
			return;
		}
		failures->n++;
	} else {
		failure_done(&failures->found[at]);
	}
	keep = failures->n - 1 - at;
	memmove(&failures->found[at], &failures->found[at + 1], keep * sizeof(*failures->found));
	failures->found[failures->n - 1] = *failure;
}

static int copy_steps(struct failure *failure, const struct blame_step *steps)
{
	for (const struct blame_step *step = steps; step; step = step->inner)
		failure->n_steps++;
	if (!failure->n_steps)
		return 0;
	failure->steps = mem_zalloc(failure->n_steps, sizeof(*failure->steps));
	if (!failure->steps)
		return -ENOMEM;
	for (size_t i = 0; steps; i++, steps = steps->inner) {
		failure->steps[i] = *steps;
		failure->steps[i].inner = NULL;
	}
	return 0;
}

static void take_call(void *data, const struct listed_call *call)
{
	struct failures *failures = data;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct failure failure = { .name = call->name,
				   .pid = call->pid,
				   .start = call->has_start ? call->start : 0,
				   .end = call->end,
				   .signal = call->signal,
				   .count = 1 };

	if (call->fate != SYSCALL_RETURNED || call->result >= 0 || call->result < -ERROR_LIMIT)
		return;
	failures->n_failed++;
	failure.stack = user_stacks_get(&failures->stacks, call->pid);
	/* One that is older than the call is that of the call before. */
	if (!call->has_start || failure.stack.time < call->start)
		failure.stack = (struct user_stack){ 0 };
	failure.error = (int)-call->result;
	if (call->has_start)
		syscall_args_put(&text, call->args, &call->how);
	else
		strbuf_addf(&text, "%s(?)", call->name ?: "?");
	failure.text = strbuf_take(&text);
	if (!failure.text ||
	    copy_steps(&failure, blame_find(&failures->blame, call->pid, failure.error)) < 0) {
		failures->nomem = true;
		failure_done(&failure);
		return;
	}
	add(failures, &failure);
}

/* The error of which a program tells is the last one of those that it had. */
static void feed_written(struct failures *failures, const struct happening *happening)
{
	if (happening->path.dir != 2)
		return;
	for (size_t i = failures->n; i--;) {
		struct failure *failure = &failures->found[i];
		const char *words = strerrordesc_np(failure->error);

		if (failure->pid != happening->event->pid || !words)
			continue;
		if (memmem(happening->path.text, happening->path.len, words, strlen(words))) {
			failure->told = true;
			return;
		}
	}
}

static void feed_exit(struct failures *failures, const struct happening *happening)
{
	const char *name = happening_syscall_name(happening);

	if (!name || strcmp(name, "exit_group") != 0 || !(happening->call_number.first & 0xff))
		return;
	for (size_t i = failures->n; i--;)
		if (failures->found[i].pid == happening->event->pid) {
			failures->found[i].last = true;
			return;
		}
}

/* The stack of a call that has failed may come right behind its end. */
static void feed_stack(struct failures *failures, const struct happening *happening)
{
	for (size_t i = failures->n; i--;) {
		struct failure *failure = &failures->found[i];

		if (failure->pid != happening->event->pid)
			continue;
		/* If the task is in another call by now, it is that one's. */
		if (user_stacks_get(&failures->stacks, failure->pid).entry <= failure->end)
			user_stack_take(&failure->stack, happening);
		return;
	}
}

/* Is it what was recorded once more, for the stack that follows it? The other event knows more. */
static bool is_second(struct failures *failures, const struct happening *happening)
{
	bool is_exit = happening->kind == HAPPENING_SYSCALL_EXIT;

	if (!is_exit && happening->kind != HAPPENING_SYSCALL_ENTRY)
		return false;
	if (happening_syscall_name(happening))
		failures->has_names = true;
	return is_exit && failures->has_names && !happening_syscall_name(happening);
}

void failures_feed(struct failures *failures, const struct happening *happening)
{
	failures->list.take = take_call;
	failures->list.data = failures;
	if (is_second(failures, happening))
		return;
	if (happening->kind == HAPPENING_WRITTEN)
		feed_written(failures, happening);
	if (happening->kind == HAPPENING_SYSCALL_ENTRY)
		feed_exit(failures, happening);
	/* The list asks for the way when the call ends: before the end is fed. */
	syscall_list_feed(&failures->list, happening);
	blame_feed(&failures->blame, happening);
	user_stacks_feed(&failures->stacks, happening);
	if (happening->kind == HAPPENING_USER_STACK)
		feed_stack(failures, happening);
}

int failures_finish(struct failures *failures)
{
	if (syscall_list_finish(&failures->list) < 0)
		failures->nomem = true;
	return failures->nomem || failures->blame.nomem || failures->blame.gaps.nomem ||
			       failures->stacks.nomem ?
		       -ENOMEM :
		       0;
}

bool failures_is_chosen(const struct failures *failures, size_t i)
{
	bool told = false, last = false;

	for (size_t j = 0; j < failures->n; j++) {
		told |= failures->found[j].told;
		last |= failures->found[j].last;
	}
	if (told)
		return failures->found[i].told;
	return last ? failures->found[i].last : i == failures->n - 1;
}

bool failures_is_wanted(const struct failures *failures, size_t i,
			const struct failure_choice *choice)
{
	const struct failure *failure = &failures->found[i];
	bool fits_error = !choice->n_errors, fits_call = !choice->n_calls;

	for (size_t k = 0; k < choice->n_errors; k++)
		fits_error |= choice->errors[k] == failure->error;
	for (size_t k = 0; k < choice->n_calls; k++)
		fits_call |= failure->name && strcmp(choice->calls[k], failure->name) == 0;
	return fits_error && fits_call &&
	       (choice->all || choice->n_errors || choice->n_calls ||
		failures_is_chosen(failures, i));
}

void failures_done(struct failures *failures)
{
	for (size_t i = 0; i < failures->n; i++)
		failure_done(&failures->found[i]);
	free(failures->found);
	syscall_list_done(&failures->list);
	user_stacks_done(&failures->stacks);
	blame_done(&failures->blame);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/failures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"

static void failure_done(struct failure *failure)
{
	free(failure->text);
	free(failure->evidence.object);
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

/* The earlier one has the same text, error and way. */
static void join(struct failure *failure, const struct failure *earlier)
{
	failure->count += earlier->count;
	if (failure->evidence.kind < earlier->evidence.kind &&
	    earlier->evidence.kind > EVIDENCE_NONE)
		failure->evidence.kind = earlier->evidence.kind;
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
		for (at = 0;
		     at < failures->n - 1 && failures->found[at].evidence.kind > EVIDENCE_NONE;)
			at++;
	else if (at < failures->n)
		join(failure, &failures->found[at]);
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

/* The words are a happening of their own, which may be missing for writev(). */
static void take_success(struct failures *failures, const struct listed_call *call)
{
	uint64_t fd;

	if (call->name && call->has_start && strcmp(call->name, "writev") == 0 &&
	    !(failures->writer == call->pid && failures->written >= call->start) &&
	    syscall_arg_value(call->args, &call->how, 0, &fd) && fd == STDERR_FILENO)
		evidences_wrote(&failures->evidences, call->pid, NULL, 0, failures->found,
				failures->n);
	evidences_succeeded(&failures->evidences, call, failures->found, failures->n);
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

	if (call->fate != SYSCALL_RETURNED)
		return;
	if (call->result >= 0 || call->result < -ERROR_LIMIT) {
		take_success(failures, call);
		return;
	}
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
	evidences_begin(&failures->evidences, call, failure.error, &failure.evidence);
	evidences_compare(&failures->evidences, &failure);
	if (failures->set && failure.name && evidence_about(&failure))
		failure_set_add(failures->set, failure.name, failure.error,
				evidence_about(&failure));
	if (!failure.text ||
	    copy_steps(&failure, blame_find(&failures->blame, call->pid, failure.error)) < 0) {
		failures->nomem = true;
		failure_done(&failure);
		return;
	}
	add(failures, &failure);
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

/* A part that is not known is left out; where that is the last, the line has ended. */
static void take_parts(struct failures *failures, const struct happening *happening)
{
	struct evidences *evidences = &failures->evidences;
	int32_t pid = happening->event->pid;
	bool known = false, missing = false;

	for (size_t i = 0; i < happening->path.parts; i++) {
		const char *text;
		size_t len;

		missing = !happening_part(happening, i, &text, &len);
		known |= !missing;
		if (!missing)
			evidences_wrote(evidences, pid, text, len, failures->found, failures->n);
	}
	if (known && missing)
		evidences_wrote(evidences, pid, "\n", 1, failures->found, failures->n);
	if (known) {
		failures->writer = pid;
		failures->written = happening->event->time;
	}
}

static void feed_written(struct failures *failures, const struct happening *happening)
{
	if (happening->path.dir != STDERR_FILENO)
		return;
	if (happening->path.parts)
		take_parts(failures, happening);
	else
		evidences_wrote(&failures->evidences, happening->event->pid, happening->path.text,
				happening->path.len, failures->found, failures->n);
}

/* Is it what was recorded once more, for the stack that follows it? The other event knows more. */
static bool is_second(struct failures *failures, const struct happening *happening)
{
	bool is_exit = happening->kind == HAPPENING_SYSCALL_EXIT;

	if (happening->kind == HAPPENING_SIGNAL_SENT || happening->kind == HAPPENING_SIGNAL) {
		if (!failures->has_signals)
			failures->signals = happening->event->buffer;
		failures->has_signals = true;
		return failures->signals != happening->event->buffer;
	}
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
	evidences_feed(&failures->evidences, happening);
	if (happening->kind == HAPPENING_WRITTEN)
		feed_written(failures, happening);
	/* The list asks for the way when the call ends: before the end is fed. */
	syscall_list_feed(&failures->list, happening);
	blame_feed(&failures->blame, happening);
	user_stacks_feed(&failures->stacks, happening);
	if (happening->kind == HAPPENING_USER_STACK)
		feed_stack(failures, happening);
}

const char *failures_func_name(const struct failures *failures, uint32_t func)
{
	return func == FUNC_NONE ? NULL : failures->blame.funcs.list[func].name;
}

const struct process *failures_command(const struct failures *failures)
{
	return failures->command ? processes_find(&failures->evidences.processes, failures->command,
						  UINT64_MAX) :
				   evidences_command(&failures->evidences);
}

struct process_ending failures_ending(const struct failures *failures)
{
	const struct process *command = failures_command(failures);

	if (failures->ending.how != PROCESS_END_UNKNOWN || !command)
		return failures->ending;
	return process_ending(&failures->evidences.processes, command);
}

enum command_outcome failures_outcome(const struct failures *failures)
{
	struct process_ending ending = failures_ending(failures);

	if (ending.how == PROCESS_END_UNKNOWN || (ending.how == PROCESS_EXITED && !ending.has_code))
		return COMMAND_UNKNOWN;
	return ending.how == PROCESS_EXITED && !ending.code ? COMMAND_SUCCEEDED : COMMAND_FAILED;
}

/* From which on a failure matters: of what speaks for any of them, the most. */
static enum evidence_kind least_evidence(const struct failures *failures)
{
	enum evidence_kind most = EVIDENCE_NONE;

	for (size_t i = 0; i < failures->n; i++)
		if (failures->found[i].evidence.kind > most)
			most = failures->found[i].evidence.kind;
	/* A program can tell of several. */
	if (most == EVIDENCE_BOTH)
		return EVIDENCE_ERROR;
	return failures_outcome(failures) == COMMAND_SUCCEEDED && most < EVIDENCE_ERROR ?
		       EVIDENCE_KINDS :
		       most;
}

int failures_finish(struct failures *failures)
{
	if (syscall_list_finish(&failures->list) < 0 ||
	    evidences_finish(&failures->evidences, failures->found, failures->n) < 0)
		failures->nomem = true;
	failures->least = least_evidence(failures);
	return failures->nomem || failures->blame.nomem || failures->blame.gaps.nomem ||
			       failures->stacks.nomem ?
		       -ENOMEM :
		       0;
}

bool failures_is_chosen(const struct failures *failures, size_t i)
{
	enum evidence_kind least = failures->least;

	if (least <= EVIDENCE_NONE)
		return false;
	if (least > EVIDENCE_MESSAGE)
		return failures->found[i].evidence.kind >= least;
	/* Of those that were the last of a process the last. */
	for (size_t j = i + 1; j < failures->n; j++)
		if (failures->found[j].evidence.kind == least)
			return false;
	return failures->found[i].evidence.kind == least;
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
	evidences_done(&failures->evidences);
	blame_done(&failures->blame);
}

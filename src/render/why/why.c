/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/why/why.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "analyze/why/causes.h"
#include "analyze/tasks/signals.h"
#include "analyze/why/meanings.h"
#include "base/capability-name.h"
#include "base/cleanup.h"
#include "base/errno-name.h"
#include "base/mem.h"
#include "base/quote.h"
#include "render/kit/duration.h"
#include "render/kit/json-document.h"
#include "render/report/user-stack.h"
#include "render/why/why-outcome.h"
#include "render/why/why-request.h"
#include "render/why/why-row.h"

static bool why_is_shown(const struct why_view *view, size_t i)
{
	return failures_is_wanted(view->failures, i, view->choice);
}

static const char *error_text(int error, char buf[32])
{
	const char *name = errno_name(error);

	if (name)
		return name;
	snprintf(buf, 32, "%d", error);
	return buf;
}

static void put_func(const struct why_view *view, uint32_t func, struct strbuf *buf)
{
	if (func == FUNC_NONE)
		strbuf_adds(buf, "?");
	else
		func_put_name(&view->failures->blame.funcs.list[func], buf);
}

/* Appends "  fs/namei.c:409", or nothing. */
static void why_put_line(const struct why_view *view, uint32_t func, struct strbuf *text)
{
	const char *name = failures_func_name(view->failures, func), *file;
	uint32_t line;

	if (view->lines && name && kernel_lines_find(view->lines, name, &file, &line))
		quote_addf(text, " %s:%" PRIu32, file, line);
}

static const char *why_meaning_of(const struct why_view *view, const struct failure *failure)
{
	/*
	 * Use the innermost function that has a meaning: the one that failed may be an unknown
	 * helper.
	 */
	for (size_t i = failure->n_steps; i-- && view->meanings;) {
		const char *name = failures_func_name(view->failures, failure->steps[i].func);
		const char *text =
			name ? meanings_text(view->meanings, name, failure->steps[i].error) : NULL;

		if (text)
			return text;
	}
	return NULL;
}

static int put_decided(const struct why_view *view, const struct failure *failure, struct out *out,
		       struct strbuf *text)
{
	const struct blame_step *step = &failure->steps[failure->n_steps - 1];
	const char *meaning = why_meaning_of(view, failure);
	char buf[32];

	put_func(view, step->func, text);
	strbuf_adds(text, "()");
	why_put_line(view, step->func, text);
	if (step->is_check)
		quote_addf(text, " refused, and its caller returned -%s",
			   error_text(failure->error, buf));
	else
		quote_addf(text, " returned -%s", error_text(step->error, buf));
	if (meaning)
		quote_addf(text, ": %s", meaning);
	return why_put_row(out, "Cause", text);
}

static int why_put_way(const struct why_view *view, const struct failure *failure, struct out *out,
		       struct strbuf *text)
{
	const char *arrow = out->utf8 ? "→" : "->";
	int error = failure->error;
	char buf[32];

	for (size_t i = 0; i < failure->n_steps; i++) {
		const struct blame_step *step = &failure->steps[i];

		if (i)
			quote_addf(text, " %s ", arrow);
		put_func(view, step->func, text);
		if (step->error != error)
			quote_addf(text, " (%s)", error_text(step->error, buf));
		error = step->error;
	}
	return why_put_row(out, "Call chain", text);
}

/* Appends a clause, or nothing. */
static void put_cause(const struct why_view *view, const struct failure *failure,
		      struct strbuf *text)
{
	const char *meaning = why_meaning_of(view, failure) ?: strerrordesc_np(failure->error);

	if (failure->kind != FAILURE_CALL)
		why_request_put_cause(failure, text);
	else if (meaning)
		quote_adds(text, meaning);
}

static const char *help_for(const struct why_view *view, const struct failure *failure)
{
	return view->causes ? causes_of_failure(view->causes, view->failures, failure) : NULL;
}

static void put_check(const struct why_view *view, const struct blame_check *check,
		      struct strbuf *text)
{
	const char *capability = capability_name(check->capability);

	if (text->len)
		strbuf_adds(text, ", ");
	if (capability)
		quote_addf(text, "%s (", capability);
	put_func(view, check->func, text);
	if (capability)
		strbuf_addc(text, ')');
}

/* The components of a path are checked one by one. */
static bool was_passed(const struct failure *failure, size_t step, unsigned check)
{
	const struct blame_check *own = &failure->steps[step].checks[check];

	for (size_t i = 0; i <= step; i++)
		for (unsigned j = 0; j < (i < step ? failure->steps[i].n_checks : check); j++) {
			const struct blame_check *other = &failure->steps[i].checks[j];

			if (!other->refused && other->func == own->func &&
			    other->capability == own->capability)
				return true;
		}
	return false;
}

static void put_passed(const struct why_view *view, const struct failure *failure,
		       struct strbuf *text)
{
	for (size_t i = 0; i < failure->n_steps; i++)
		for (unsigned j = 0; j < failure->steps[i].n_checks; j++)
			if (!failure->steps[i].checks[j].refused && !was_passed(failure, i, j))
				put_check(view, &failure->steps[i].checks[j], text);
}

/* Prints the checks of the innermost function that did not pass. */
static void put_refused(const struct why_view *view, const struct failure *failure,
			struct strbuf *text)
{
	const struct blame_step *step = &failure->steps[failure->n_steps - 1];

	for (unsigned j = 0; j < step->n_checks; j++)
		if (step->checks[j].refused)
			put_check(view, &step->checks[j], text);
}

/* Returns whether running 'fathom why' with other options is likely to find the function. */
static bool why_has_advice(const struct why_view *view, const struct failure *failure)
{
	if (failure->n_steps || failure->signal)
		return false;
	return view->unwatched || (view->watched && failure->kind != FAILURE_URING);
}

/* Prints why no function can be named and, with @advise (see why_has_advice()), how to find it. */
static int put_unknown(const struct why_view *view, const struct failure *failure, bool advise,
		       struct out *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char signal[SIGNAL_NAME_SIZE];

	if (failure->signal) {
		quote_addf(&text,
			   "interrupted by %s: its handler ran, and the call was not restarted",
			   signal_name(failure->signal, signal));
		return why_put_row(out, "Cause", &text);
	}
	if (view->unwatched) {
		strbuf_adds(&text, "unknown: no kernel functions were probed");
		if (advise)
			strbuf_adds(&text, "; use --rerun to run the command twice and probe them");
		return why_put_row(out, "Cause", &text);
	}
	if (!view->runs && !view->watched && !view->failures->blame.has_results) {
		strbuf_adds(&text,
			    "unknown: the recording has no return values of kernel functions");
		return why_put_row(out, "Cause", &text);
	}
	strbuf_adds(&text, "unknown: no probed function returned this error");
	if (view->missed)
		quote_addf(&text, "; %" PRIu64 " return values were missed", view->missed);
	if (failure->kind == FAILURE_URING)
		strbuf_adds(&text, "; a kernel thread may have executed the request");
	else if (view->watched)
		quote_addf(&text, "; %zu functions were probed", view->watched);
	if (advise)
		quote_addf(&text, ", %s probes those that this call goes through",
			   view->runs ? "--rerun" : "observing without --once");
	return why_put_row(out, "Cause", &text);
}

static int put_decision(const struct why_view *view, const struct failure *failure, bool advise,
			struct out *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r;

	if (!failure->n_steps)
		return put_unknown(view, failure, advise, out);
	r = put_decided(view, failure, out, &text);
	if (r == 0)
		r = why_put_way(view, failure, out, &text);
	put_refused(view, failure, &text);
	if (r == 0 && text.len)
		r = why_put_row(out, "Missing", &text);
	put_passed(view, failure, &text);
	if (r == 0 && text.len)
		r = why_put_row(out, "Passed", &text);
	return r;
}

static int put_failure(const struct why_view *view, const struct failure *failure, bool advise,
		       struct out *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *help = help_for(view, failure);
	char took[DURATION_SIZE], buf[32];
	int r = 0;

	quote_printf(out->stream, "%s%s%s = %s-%s%s (%s)", out_style(out, OUT_NAME), failure->text,
		     out_style(out, OUT_PLAIN), out_style(out, OUT_BAD),
		     error_text(failure->error, buf), out_style(out, OUT_PLAIN),
		     strerrordesc_np(failure->error) ?: "?");
	if (failure->start && !view->raw_times)
		quote_printf(out->stream, "  in %s",
			     duration_text(failure->end - failure->start, took));
	if (failure->count > 1)
		quote_printf(out->stream, ", %" PRIu64 " times", failure->count);
	fputc('\n', out->stream);
	why_put_process(view->failures, failure, &text);
	if (text.len)
		r = why_put_row(out, "Process", &text);
	if (r == 0 && why_put_evidence(&failure->evidence, &text))
		r = why_put_row(out, "Evidence", &text);
	if (r == 0)
		r = why_request_put_rows(failure, out);
	if (r == 0 && user_stack_put(&text, view->users, &failure->stack, out->utf8))
		r = why_put_row(out, "Called from", &text);
	if (r == 0)
		r = put_decision(view, failure, advise, out);
	if (r == 0 && help) {
		quote_adds(&text, help);
		r = why_put_row(out, "Hint", &text);
	}
	return r;
}

/*
 * Selects the failures to show and sorts them by evidence, strongest first. Returns their number or
 * -ENOMEM.
 */
static ssize_t list_shown(const struct why_view *view, size_t **ret_order)
{
	const struct failures *failures = view->failures;
	size_t *order = mem_zalloc(failures->n + 1, sizeof(*order)), n = 0;

	if (!order)
		return -ENOMEM;
	for (int kind = EVIDENCE_BOTH; kind >= 0; kind--)
		for (size_t i = 0; i < failures->n; i++) {
			bool now = (int)failures->found[i].evidence.kind == kind;

			/* If all are shown, chronological order is more useful. */
			if (why_is_shown(view, i) && (view->choice->all ? kind == 0 : now))
				order[n++] = i;
		}
	*ret_order = order;
	return (ssize_t)n;
}

int why_print(const struct why_view *view, struct out *out)
{
	const struct failures *failures = view->failures;
	const struct failure_choice *choice = view->choice;
	_cleanup_strbuf_ struct strbuf cause = { 0 };
	_cleanup_free_ size_t *order = NULL;
	ssize_t shown = list_shown(view, &order);
	size_t others = shown < 0 ? 0 : failures->n - (size_t)shown;
	bool advise = !view->asks;
	int r = 0;

	if (shown > 0)
		put_cause(view, &failures->found[order[0]], &cause);
	if (shown < 0 || cause.err)
		return -ENOMEM;
	if (!failures->n && failures_outcome(failures) == COMMAND_UNKNOWN)
		quote_printf(out->stream, "No system call failed.\n");
	if (!choice->all && !choice->n_errors && !choice->n_calls)
		r = why_put_outcome(failures, view->causes, view->users, (size_t)shown, cause.s,
				    out);
	for (ssize_t i = 0; i < shown && r == 0; i++) {
		const struct failure *failure = &failures->found[order[i]];

		if (i)
			fputc('\n', out->stream);
		r = put_failure(view, failure, advise && why_has_advice(view, failure), out);
		/* Once is enough. */
		advise = advise && !why_has_advice(view, failure);
	}
	if (r == 0 && !shown && !choice->n_errors && !choice->n_calls)
		why_put_others(failures, out);
	else if (r == 0 && !choice->all && others)
		quote_printf(out->stream, "\n%zu other system %s failed; use --all to see %s\n",
			     others, others == 1 ? "call" : "calls",
			     others == 1 ? "its cause" : "their causes");
	return r;
}

static void json_failure(const struct why_view *view, const struct failure *failure,
			 struct json *json)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };
	char signal[SIGNAL_NAME_SIZE];

	json_begin_object(json, NULL);
	json_string(json, "call", failure->text);
	json_string(json, "name", failure->name);
	why_request_json(failure, json);
	json_string(json, "error", errno_name(failure->error));
	json_s64(json, "errno", failure->error);
	json_string(json, "signal", failure->signal ? signal_name(failure->signal, signal) : NULL);
	json_s64(json, "pid", failure->pid);
	json_u64(json, "count", failure->count);
	why_json_evidence(&failure->evidence, json);
	json_string(json, "meaning", why_meaning_of(view, failure));
	json_string(json, "hint", help_for(view, failure));
	user_stack_json(json, "called_from", view->users, &failure->stack);
	json_begin_array(json, "call_chain");
	for (size_t i = 0; i < failure->n_steps; i++) {
		const struct blame_step *step = &failure->steps[i];

		json_begin_object(json, NULL);
		put_func(view, step->func, &name);
		json_string(json, "function", name.s);
		strbuf_clear(&name);
		why_put_line(view, step->func, &name);
		json_string(json, "source", name.len ? name.s + 1 : NULL);
		strbuf_clear(&name);
		json_string(json, "error", errno_name(step->error));
		json_begin_array(json, "checks");
		for (unsigned j = 0; j < step->n_checks; j++) {
			const struct blame_check *check = &step->checks[j];

			json_begin_object(json, NULL);
			put_func(view, check->func, &name);
			json_string(json, "function", name.s);
			strbuf_clear(&name);
			json_string(json, "capability", capability_name(check->capability));
			json_bool(json, "refused", check->refused != 0);
			json_end_object(json);
		}
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
	json_end_object(json);
	if (name.err)
		json->buf->err = name.err;
}

int why_print_json(const struct why_view *view, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	_cleanup_free_ size_t *order = NULL;
	ssize_t shown = list_shown(view, &order);
	struct json json;

	if (shown < 0)
		return -ENOMEM;
	json_document_begin(&json, &buf, true);
	if (view->runs)
		json_u64(&json, "run_count", view->runs);
	why_json_outcome(view->failures, view->causes, view->users, &json);
	if (view->compared)
		why_json_compared(view->compared, &json);
	json_u64(&json, "failed_count", view->failures->n_failed);
	json_u64(&json, "missed_count", view->missed);
	json_begin_array(&json, "failures");
	for (ssize_t i = 0; i < shown; i++)
		json_failure(view, &view->failures->found[order[i]], &json);
	json_end_array(&json);
	json_document_end(&json, &out->completeness);
	return out_write(out, &buf);
}

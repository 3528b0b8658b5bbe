/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/why/why-slow.h"

#include <inttypes.h>

#include "analyze/syscalls/syscall-args.h"
#include "base/quote.h"
#include "render/kit/duration.h"
#include "render/kit/json-document.h"
#include "render/kit/syscall-fate.h"
#include "render/report/user-stack.h"
#include "render/waits/waker.h"
#include "render/why/why-row.h"

#define WAIT_PART 50 /* waits shorter than 1/50 of the call are omitted */

static void why_slow_put_head(const struct slow_call *call, struct out *out, struct strbuf *text)
{
	char took[DURATION_SIZE], max[DURATION_SIZE];

	if (call->fate != SYSCALL_RETURNED)
		quote_adds(text, syscall_fate_remark(call->fate));
	else if (!call->goes_on)
		syscall_result_put(text, call->name, call->result, NULL);
	quote_printf(out->stream, "%s%s%s%s%s", out_style(out, OUT_NAME), call->text,
		     out_style(out, OUT_PLAIN), call->goes_on ? " has not returned" : " = ",
		     strbuf_str(text));
	strbuf_clear(text);
	quote_printf(out->stream, "  %s %s%s%s", call->goes_on ? "after" : "in",
		     out_style(out, OUT_WARN), duration_text(call->total, took),
		     out_style(out, OUT_PLAIN));
	if (call->count > 1)
		quote_printf(out->stream, ", %" PRIu64 " times, each %s to %s", call->count,
			     duration_text(call->min, took), duration_text(call->max, max));
	fputc('\n', out->stream);
}

static int put_where(const struct slow_call *call, struct out *out, struct strbuf *text)
{
	const struct slow_step *step;
	char took[DURATION_SIZE];

	if (!call->n_steps) {
		strbuf_adds(text, "no recorded function");
		return why_put_row(out, "Most time in", text);
	}
	step = &call->steps[call->n_steps - 1];
	quote_addf(text, "%s: %s", step->name, duration_text(step->total, took));
	if (step->calls > call->count)
		quote_addf(text, " in %" PRIu64 " calls", step->calls);
	if (step->asleep)
		quote_addf(text, ", of which %s off-CPU", duration_text(step->asleep, took));
	return why_put_row(out, "Most time in", text);
}

static int why_slow_put_way(const struct slow_call *call, struct out *out, struct strbuf *text)
{
	const char *arrow = out->utf8 ? "→" : "->";
	char took[DURATION_SIZE];

	for (size_t i = 0; i < call->n_steps; i++)
		quote_addf(text, "%s%s%s%s %s", i ? " " : "", i ? arrow : "", i ? " " : "",
			   call->steps[i].name, duration_text(call->steps[i].total, took));
	return why_put_row(out, "Call chain", text);
}

static void why_slow_put_part(struct strbuf *text, const char *what, uint64_t ns)
{
	char took[DURATION_SIZE];

	if (ns)
		quote_addf(text, "%s%s %s", text->len ? ", " : "", what, duration_text(ns, took));
}

static int put_spent(const struct slow_call *call, struct out *out, struct strbuf *text)
{
	why_slow_put_part(text, "sleeping", call->asleep);
	why_slow_put_part(text, "runnable", call->runnable);
	why_slow_put_part(text, "running", slow_call_running(call));
	why_slow_put_part(text, "interrupts", call->stolen);
	return why_put_row(out, "Time", text);
}

static int why_slow_put_waits(const struct slow_call *call, struct out *out, struct strbuf *text)
{
	char took[DURATION_SIZE];
	size_t i;
	int r = 0;

	for (i = 0; i < call->n_waits && r == 0; i++) {
		const struct slow_wait *wait = &call->waits[i];

		if (wait->total < call->total / WAIT_PART)
			break;
		quote_adds(text, duration_text(wait->total, took));
		if (wait->in)
			quote_addf(text, " in %s", wait->in);
		if (wait->count > 1)
			quote_addf(text, ", %" PRIu64 " times", wait->count);
		quote_addf(text, ": %s", *wait->text ? wait->text : state_word(wait->state));
		if (wait->varies)
			strbuf_adds(text, ", and others");
		if (wait->goes_on)
			strbuf_adds(text, "; not yet ended");
		r = why_put_row(out, i ? "" : "Waits", text);
	}
	return r;
}

static int why_slow_put_call(const struct why_slow_view *view, const struct slow_call *call,
			     struct out *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r;

	why_slow_put_head(call, out, &text);
	quote_addf(&text, "%s-%" PRId32, *call->task ? call->task : "<...>", call->pid);
	r = why_put_row(out, "Task", &text);
	if (r == 0 && user_stack_put(&text, view->users, &call->stack, out->utf8))
		r = why_put_row(out, "Called from", &text);
	if (r == 0)
		r = put_where(call, out, &text);
	if (r == 0 && call->n_steps)
		r = why_slow_put_way(call, out, &text);
	if (r == 0)
		r = put_spent(call, out, &text);
	if (r == 0)
		r = why_slow_put_waits(call, out, &text);
	return r;
}

int why_slow_print(const struct why_slow_view *view, struct out *out)
{
	const struct slow_calls *calls = view->calls;
	uint64_t left = calls->n_slow;
	int r = 0;

	for (size_t i = 0; i < calls->n && i < view->max && r == 0; i++) {
		if (i)
			fputc('\n', out->stream);
		left -= calls->found[i].count;
		r = why_slow_put_call(view, &calls->found[i], out);
	}
	if (r == 0 && left)
		quote_printf(out->stream,
			     "\n%" PRIu64 " other slow %s; use --all to see more, -e to select\n",
			     left, left == 1 ? "call" : "calls");
	return r;
}

static void json_steps(const struct slow_call *call, struct json *json)
{
	json_begin_array(json, "call_chain");
	for (size_t i = 0; i < call->n_steps; i++) {
		const struct slow_step *step = &call->steps[i];

		json_begin_object(json, NULL);
		json_string(json, "function", step->name);
		json_u64(json, "call_count", step->calls);
		json_u64(json, "total_ns", step->total);
		json_u64(json, "off_cpu_ns", step->asleep);
		json_end_object(json);
	}
	json_end_array(json);
}

static void json_waits(const struct slow_call *call, struct json *json)
{
	json_begin_array(json, "waits");
	for (size_t i = 0; i < call->n_waits; i++) {
		const struct slow_wait *wait = &call->waits[i];

		json_begin_object(json, NULL);
		json_string(json, "state", state_word(wait->state));
		json_string(json, "in", wait->in);
		json_string(json, "text", wait->text);
		json_bool(json, "is_varying", wait->varies);
		json_bool(json, "is_open", wait->goes_on);
		json_u64(json, "count", wait->count);
		json_u64(json, "total_ns", wait->total);
		json_end_object(json);
	}
	json_end_array(json);
}

static void json_call(const struct why_slow_view *view, const struct slow_call *call,
		      struct json *json)
{
	json_begin_object(json, NULL);
	json_string(json, "call", call->text);
	json_string(json, "name", call->name);
	json_s64(json, "pid", call->pid);
	json_string(json, "task", call->task);
	json_bool(json, "is_open", call->goes_on);
	json_string(json, "fate", syscall_fate_word(call->goes_on ? SYSCALL_OPEN : call->fate));
	if (call->goes_on || call->fate != SYSCALL_RETURNED)
		json_null(json, "result");
	else
		json_s64(json, "result", call->result);
	json_u64(json, "count", call->count);
	json_u64(json, "total_ns", call->total);
	json_u64(json, "min_ns", call->min);
	json_u64(json, "max_ns", call->max);
	json_u64(json, "sleeping_ns", call->asleep);
	json_u64(json, "runnable_ns", call->runnable);
	json_u64(json, "running_ns", slow_call_running(call));
	json_u64(json, "interrupt_ns", call->stolen);
	user_stack_json(json, "called_from", view->users, &call->stack);
	json_steps(call, json);
	json_waits(call, json);
	json_end_object(json);
}

int why_slow_print_json(const struct why_slow_view *view, struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_document_begin(&json, &buf, true);
	json_u64(&json, "run_count", 1);
	json_u64(&json, "slow_count", view->calls->n_slow);
	json_begin_array(&json, "calls");
	for (size_t i = 0; i < view->calls->n; i++)
		json_call(view, &view->calls->found[i], &json);
	json_end_array(&json);
	json_document_end(&json, &out->completeness);
	return out_write(out, &buf);
}

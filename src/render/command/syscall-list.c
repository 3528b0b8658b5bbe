/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/command/syscall-list.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/quote.h"
#include "render/kit/csv.h"
#include "render/kit/duration.h"
#include "render/kit/json-document.h"
#include "render/kit/syscall-fate.h"
#include "render/kit/table.h"

static bool has_duration(const struct listed_call *call)
{
	return call->has_start && syscall_fate_has_end(call->fate) && call->end >= call->start;
}

static bool is_error(const struct listed_call *call)
{
	return call->fate == SYSCALL_RETURNED && call->result < 0 && call->result >= -ERROR_LIMIT;
}

/* Appends "openat(...)", or "<... openat resumed>)" if only the return was recorded. */
static void syscall_list_put_call(struct strbuf *buf, const struct listed_call *call)
{
	if (call->has_start)
		syscall_args_put(buf, call->args, &call->how);
	else if (call->name)
		quote_addf(buf, "<... %s resumed>)", call->name);
	else
		quote_addf(buf, "<... syscall_%" PRId64 " resumed>)", call->number);
}

static void syscall_list_put_result(struct strbuf *buf, const struct listed_call *call)
{
	if (call->fate == SYSCALL_RETURNED)
		syscall_result_put(buf, call->name, call->result, call->result_file);
	else
		quote_adds(buf, syscall_fate_remark(call->fate));
}

static const char *syscall_list_task_name(const struct syscall_list_view *view, int32_t pid)
{
	return tasks_find(view->tasks, pid)->comm;
}

static void syscall_list_put_text(struct syscall_list_view *view, const struct listed_call *call)
{
	struct strbuf *line = &view->line;
	char time[TIME_TEXT_SIZE];
	const char *style = "";

	if (call->fate != SYSCALL_RETURNED || !call->has_start)
		style = out_style(view->out, OUT_WARN);
	else if (is_error(call))
		style = out_style(view->out, OUT_BAD);
	time_text(call->has_start ? call->start : call->end, view->raw_times, false, time);
	quote_addf(line, "%16s", time);
	if (has_duration(call) && view->raw_times)
		quote_addf(line, " %9" PRIu64, call->end - call->start);
	else if (has_duration(call))
		duration_put(line, call->end - call->start);
	else
		strbuf_adds(line, "         ?");
	quote_addf(line, " %16s-%-7" PRId32 " ", syscall_list_task_name(view, call->pid),
		   call->pid);
	syscall_list_put_call(line, call);
	quote_addf(line, " = %s", style);
	syscall_list_put_result(line, call);
	quote_adds(line, out_style(view->out, OUT_PLAIN));
	strbuf_addc(line, '\n');
}

static void syscall_list_put_arguments(struct json *json, const struct listed_call *call)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	json_begin_array(json, "args");
	for (size_t i = 0; call->has_start && i < syscall_args_count(call->args, &call->how); i++) {
		uint64_t value;

		strbuf_clear(&text);
		if (!syscall_arg_put(&text, call->args, &call->how, i))
			continue;
		json_begin_object(json, NULL);
		json_string(json, "name", syscall_arg_name(call->args, &call->how, i));
		if (syscall_arg_value(call->args, &call->how, i, &value))
			json_u64(json, "value", value);
		else
			json_null(json, "value");
		json_string_len(json, "text", strbuf_str(&text), text.len);
		json_end_object(json);
	}
	json_end_array(json);
	if (text.err)
		json->buf->err = text.err;
}

static void syscall_list_put_known(struct json *json, const char *key, uint64_t value, bool known)
{
	if (known)
		json_u64(json, key, value);
	else
		json_null(json, key);
}

static void syscall_list_put_json(struct syscall_list_view *view, const struct listed_call *call)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	bool ends = syscall_fate_has_end(call->fate);
	struct json json;

	syscall_list_put_call(&text, call);
	json_init(&json, &view->line, false);
	json_begin_object(&json, NULL);
	syscall_list_put_known(&json, "time_ns", call->start, call->has_start);
	syscall_list_put_known(&json, "end_time_ns", call->end, ends);
	syscall_list_put_known(&json, "duration_ns", call->end - call->start, has_duration(call));
	json_s64(&json, "pid", call->pid);
	json_string(&json, "comm", syscall_list_task_name(view, call->pid));
	json_u64(&json, "cpu", call->cpu);
	json_string(&json, "name", call->name);
	json_s64(&json, "number", call->number);
	json_string_len(&json, "text", strbuf_str(&text), text.len);
	syscall_list_put_arguments(&json, call);
	json_string(&json, "fate", syscall_fate_word(call->fate));
	if (call->fate == SYSCALL_RETURNED)
		json_s64(&json, "result", call->result);
	else
		json_null(&json, "result");
	json_string(&json, "error", is_error(call) ? strerrorname_np((int)-call->result) : NULL);
	syscall_list_put_known(&json, "errno", (uint64_t)-call->result, is_error(call));
	json_string(&json, "path", call->result_file);
	json_end_object(&json);
	json_end_document(&json);
	if (text.err)
		view->line.err = text.err;
}

static void put_csv(struct syscall_list_view *view, const struct listed_call *call)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct strbuf *line = &view->line;

	syscall_list_put_call(&text, call);
	if (call->has_start)
		quote_addf(line, "%" PRIu64, call->start);
	strbuf_addc(line, ',');
	if (syscall_fate_has_end(call->fate))
		quote_addf(line, "%" PRIu64, call->end);
	strbuf_addc(line, ',');
	if (has_duration(call))
		quote_addf(line, "%" PRIu64, call->end - call->start);
	quote_addf(line, ",%" PRId32 ",", call->pid);
	csv_put(line, syscall_list_task_name(view, call->pid));
	quote_addf(line, ",%" PRIu32 ",%s,%" PRId64 ",", call->cpu, call->name ?: "", call->number);
	csv_put(line, strbuf_str(&text));
	quote_addf(line, ",%s,", syscall_fate_word(call->fate));
	if (call->fate == SYSCALL_RETURNED)
		quote_addf(line, "%" PRId64, call->result);
	quote_addf(line, ",%s\n", is_error(call) ? strerrorname_np((int)-call->result) ?: "" : "");
	if (text.err)
		line->err = text.err;
}

static void syscall_list_put_head(struct syscall_list_view *view)
{
	if (view->form == SYSCALL_LIST_CSV)
		fputs("time_ns,end_time_ns,duration_ns,pid,comm,cpu,name,number,call,fate,result,error\n",
		      view->out->stream);
	else if (view->form == SYSCALL_LIST_TEXT)
		out_printf(view->out, OUT_TITLE, "%16s %9s %16s-%-7s %s\n", "began", "took", "task",
			   "pid", "system call");
}

int syscall_list_print_end(struct syscall_list_view *view)
{
	struct json json;

	if (view->form != SYSCALL_LIST_JSON)
		return 0;
	json_document_begin(&json, &view->line, false);
	json_document_end(&json, &view->out->completeness);
	return out_write(view->out, &view->line);
}

int syscall_list_print(struct syscall_list_view *view, const struct listed_call *call)
{
	if (!view->has_head)
		syscall_list_put_head(view);
	view->has_head = true;
	strbuf_clear(&view->line);
	switch (view->form) {
	case SYSCALL_LIST_JSON:
		syscall_list_put_json(view, call);
		break;
	case SYSCALL_LIST_CSV:
		put_csv(view, call);
		break;
	case SYSCALL_LIST_TEXT:
		syscall_list_put_text(view, call);
		break;
	}
	return out_write(view->out, &view->line);
}

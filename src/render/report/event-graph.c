/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls recorded by the function_graph tracer, as entries and exits. If the exit is the next event
 * of the same buffer and CPU, both make one line; otherwise the entry's line opens a brace, and the
 * exit's line closes it.
 */
#include <string.h>

#include "base/quote.h"
#include "render/report/report-parts.h"

/* Columns per level, and the level beyond which lines are not indented further. */
#define INDENT	  2
#define DEPTH_MAX 2000

/* The width of the duration column. */
#define COLUMN_SIZE 16
static const char no_duration[COLUMN_SIZE] = "             |  ";

enum {
	FUNC,
	DEPTH,
	RETADDR,
	ARGS,
	CALLTIME,
	RETTIME,
	RETVAL
};
#define GRAPH_FIELDS "func", "depth", "retaddr", "args", "calltime", "rettime", "retval"

/* The contents of an exit event. */
struct call_end {
	uint64_t duration;
	uint64_t retval;
	bool has_retval;
};

static char overhead_mark(uint64_t duration)
{
	return duration > 1000000000 ? '$' :
	       duration > 1000000    ? '#' :
	       duration > 100000     ? '!' :
	       duration > 10000	     ? '+' :
				       ' ';
}

/* The fast path for most calls, which take less than a millisecond: "+ 123.456 us |  ". */
static void put_short_duration(struct text *text, uint32_t duration)
{
	uint32_t micros = duration / 1000, rest = duration % 1000;
	char column[COLUMN_SIZE];
	char *p = column;

	memcpy(column, no_duration, sizeof(column));
	*p = overhead_mark(duration);
	p += 2;
	if (micros >= 100)
		*p++ = (char)('0' + micros / 100);
	if (micros >= 10)
		*p++ = (char)('0' + micros / 10 % 10);
	*p++ = (char)('0' + micros % 10);
	*p++ = '.';
	*p++ = (char)('0' + rest / 100);
	text_pair_at(p, rest % 100);
	memcpy(p + 2, " us", 3);
	text_bytes(text, column, sizeof(column));
}

static void event_graph_put_duration(struct text *text, uint64_t duration)
{
	unsigned rest = (unsigned)(duration % 1000);
	size_t start, len;

	if (__builtin_expect(duration < 1000000, 1)) {
		put_short_duration(text, (uint32_t)duration);
		return;
	}
	text_char(text, overhead_mark(duration));
	text_char(text, ' ');
	start = text_len(text);
	text_u64(text, duration / 1000);
	if (text_len(text) - start < 7) {
		char digits[4] = { '.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
				   (char)('0' + rest % 10) };

		text_bytes(text, digits, sizeof(digits));
	}
	len = text_len(text) - start;
	text_bytes(text, " us ", 4);
	if (len < 7)
		text_fill(text, ' ', 7 - len);
	text_bytes(text, "|  ", 3);
}

static void event_graph_put_indent(struct text *text, uint64_t depth)
{
	/* A negative depth marks a function excluded from tracing. */
	if (depth < DEPTH_MAX)
		text_blanks(text, (size_t)depth * INDENT);
}

static void event_graph_put_depth(const struct rendering *r, uint64_t depth)
{
	if (!r->report->options->depth)
		return;
	text_bytes(r->text, " (", 2);
	text_s64(r->text, (int64_t)depth);
	text_char(r->text, ')');
}

static void put_retval(const struct rendering *r, const struct call_end *end)
{
	enum report_retval how = r->report->options->retval;

	if (!end->has_retval || how == REPORT_RETVAL_SKIP || r->report->options->compat_31)
		return;
	text_bytes(r->text, " (ret=", 6);
	if (how == REPORT_RETVAL_AUTO)
		how = end->retval >= (uint64_t)-4095 ? REPORT_RETVAL_DECIMAL : REPORT_RETVAL_HEX;
	if (how == REPORT_RETVAL_DECIMAL) {
		text_s64(r->text, (int64_t)end->retval);
	} else {
		text_bytes(r->text, "0x", 2);
		text_hex(r->text, end->retval);
	}
	text_char(r->text, ')');
}

/* Reads the exit event @r. */
static bool read_end(const struct rendering *r, struct call_end *ret)
{
	uint64_t call, end;

	if (!rendering_need(r, RETTIME, &end) || !rendering_need(r, CALLTIME, &call))
		return false;
	ret->duration = end - call;
	ret->has_retval = rendering_number(r, RETVAL, &ret->retval);
	return true;
}

/*
 * Returns whether the next event ends the call of @func. If it does, it is consumed, and @ret_end
 * is filled.
 */
static bool is_leaf(const struct rendering *r, uint64_t func, struct call_end *ret_end)
{
	const struct event_entry *graph_exit = r->report->graph_exit;
	struct fathom_event next;
	struct rendering other = *r;
	uint64_t next_func;

	if (!r->lookahead || !graph_exit || lookahead_peek(r->lookahead, r->event, &next) <= 0)
		return false;
	if (next.id != graph_exit->id || next.cpu != r->event->cpu || next.pid != r->event->pid)
		return false;
	other.plan = report_plan(r->report, next.id);
	other.event = &next;
	if (other.plan->entry != graph_exit || !other.plan->renderer ||
	    !rendering_number(&other, FUNC, &next_func) || next_func != func ||
	    !read_end(&other, ret_end))
		return false;
	lookahead_take(r->lookahead, r->event);
	return true;
}

static void event_graph_put_call(const struct rendering *r, uint64_t func)
{
	uint64_t start;
	const char *name = rendering_symbol(r, func, &start);
	const struct event_field *args = r->plan->fields[ARGS];

	if (!name) {
		text_hex(r->text, func);
		text_char(r->text, '(');
	} else {
		rendering_put_symbol(r, name);
		text_char(r->text, '(');
		if (args && !r->report->options->compat_31)
			rendering_arguments(r, args->offset, name);
	}
	text_char(r->text, ')');
}

/* Appends the comment " <-caller" if the entry has the caller's address. */
static void put_caller(const struct rendering *r)
{
	uint64_t address, start;
	const char *name;

	if (!rendering_number(r, RETADDR, &address))
		return;
	name = rendering_symbol(r, address, &start);
	if (!name)
		return;
	text_str(r->text, " /* <-");
	quote_text_str(r->text, name);
	text_str(r->text, " */");
}

static bool event_graph_print_entry(const struct rendering *r)
{
	struct call_end end;
	uint64_t func, depth;

	if (!rendering_need(r, FUNC, &func) || !rendering_need(r, DEPTH, &depth))
		return false;
	if (is_leaf(r, func, &end)) {
		event_graph_put_duration(r->text, end.duration);
		event_graph_put_indent(r->text, depth);
		event_graph_put_call(r, func);
		text_char(r->text, ';');
		event_graph_put_depth(r, depth);
		put_caller(r);
		put_retval(r, &end);
		return false;
	}
	text_bytes(r->text, no_duration, sizeof(no_duration));
	event_graph_put_indent(r->text, depth);
	event_graph_put_call(r, func);
	put_caller(r);
	text_bytes(r->text, " {", 2);
	event_graph_put_depth(r, depth);
	return false;
}

bool report_call_text(struct report *report, struct fathom_event *event, struct text *text)
{
	struct rendering r = { .report = report,
			       .plan = report_plan(report, event->id),
			       .event = event,
			       .text = text };
	uint64_t func;

	if (!r.plan->renderer || r.plan->renderer->print != event_graph_print_entry ||
	    !rendering_number(&r, FUNC, &func))
		return false;
	event_graph_put_call(&r, func);
	return true;
}

static void event_graph_put_tail(const struct rendering *r)
{
	uint64_t func, start;
	const char *name;

	if (!r->report->options->tail_name || !rendering_number(r, FUNC, &func))
		return;
	name = rendering_symbol(r, func, &start);
	if (!name)
		return;
	text_str(r->text, " /* ");
	quote_text_str(r->text, name);
	text_str(r->text, " */");
}

static bool event_graph_print_exit(const struct rendering *r)
{
	struct call_end end;
	uint64_t depth;

	if (!read_end(r, &end))
		return false;
	event_graph_put_duration(r->text, end.duration);
	if (!rendering_need(r, DEPTH, &depth))
		return false;
	event_graph_put_indent(r->text, depth);
	text_char(r->text, '}');
	event_graph_put_tail(r);
	event_graph_put_depth(r, depth);
	put_retval(r, &end);
	return false;
}

const struct event_renderer event_graph_renderers[] = {
	{ "ftrace", "funcgraph_entry", { GRAPH_FIELDS }, event_graph_print_entry },
	{ "ftrace", "fgraph_retaddr_entry", { GRAPH_FIELDS }, event_graph_print_entry },
	{ "ftrace", "funcgraph_exit", { GRAPH_FIELDS }, event_graph_print_exit },
	{ 0 },
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * User stacks and probes on programs, with function names, for reports that have user symbols;
 * otherwise, these events have the kernel's text. User functions traced by fathom need no symbols,
 * because the recording has their names.
 */
#include "base/quote.h"
#include "base/str.h"
#include "format/event/sample-event.h"
#include "format/event/watch-event.h"
#include "render/kit/json.h"
#include "render/report/report-parts.h"
#include "render/report/user-stack.h"
#include "symbols/user/user-symbols.h"

enum {
	CALLER,
	TGID
};

enum {
	PROBE_IP,
	PROBE_FUNC,
	PROBE_RET_IP
};

/*
 * Looks up an address. If @returned, it is the return address of a call, which may be the last
 * instruction of its function.
 */
static void event_user_find(const struct report *report, const struct fathom_event *event,
			    int32_t pid, uint64_t address, bool returned,
			    struct user_symbol *symbol)
{
	uint64_t time = event->time - (uint64_t)report->user_time_offset;

	user_symbols_find(report->user_symbols, pid, time, address - returned, symbol);
	symbol->offset += returned;
}

static void event_user_put_file(const struct user_symbol *symbol, bool with_offset,
				struct text *text)
{
	quote_text_str(text, symbol->path);
	if (with_offset) {
		text_str(text, "+0x");
		text_hex(text, symbol->offset);
	}
}

static void event_user_put_line(const struct source_frame *frame, struct text *text)
{
	if (!frame->file)
		return;
	text_char(text, ' ');
	quote_text_str(text, frame->file);
	text_char(text, ':');
	text_u64(text, frame->line);
}

/* Appends "main+0x12 [/usr/bin/app]", or "[/usr/bin/app+0x12: reason]" if the name is unknown. */
static void event_user_put_symbol(const struct user_symbol *symbol,
				  const struct source_frame *frame, struct text *text)
{
	if (symbol->name) {
		quote_text_str(text, symbol->name);
		text_str(text, "+0x");
		text_hex(text, symbol->offset);
		if (frame)
			event_user_put_line(frame, text);
		if (symbol->path && symbol->path[0] == '[') {
			text_char(text, ' ');
			event_user_put_file(symbol, false, text);
		} else if (symbol->path) {
			text_str(text, " [");
			event_user_put_file(symbol, false, text);
			text_char(text, ']');
		}
		return;
	}
	text_char(text, '[');
	if (symbol->path) {
		event_user_put_file(symbol, true, text);
		text_str(text, ": ");
	}
	text_str(text, user_unresolved_text(symbol->why));
	text_char(text, ']');
}

/*
 * Appends a line per inlined function. Returns the source position in the function they were
 * inlined into, or NULL.
 */
static const struct source_frame *put_inlined(struct user_symbols *symbols,
					      const struct user_symbol *symbol, struct text *text)
{
	const struct source_frame *frames;
	size_t n = user_symbols_lines(symbols, symbol, &frames);

	for (size_t i = 0; i + 1 < n; i++) {
		text_str(text, "=> ");
		quote_text_str(text, frames[i].function ? frames[i].function : "?");
		event_user_put_line(&frames[i], text);
		text_str(text, " (inlined)\n");
	}
	return n ? &frames[n - 1] : NULL;
}

/* The kernel follows frame pointers; without them, it finds only the innermost address. */
static void count_stack(struct user_symbols *symbols, size_t n)
{
	symbols->stacks++;
	symbols->short_stacks += n == 1;
}

/* Reads the @i-th address of a user stack. Returns false at its end. */
static bool stack_address(const struct event_format *format, const struct event_field *caller,
			  const struct fathom_event *event, size_t i, uint64_t *ret_address)
{
	return event_field_element(format, caller, event->data, event->size, i, ret_address) &&
	       *ret_address && (uint32_t)*ret_address != UINT32_MAX;
}

static bool event_user_print_stack(const struct rendering *r)
{
	const struct event_format *format = r->plan->entry->format;
	const struct event_field *caller = r->plan->fields[CALLER];
	uint64_t address, tgid = (uint64_t)(uint32_t)r->event->pid;
	size_t i = 0;

	if (!caller)
		return true;
	rendering_number(r, TGID, &tgid);
	text_str(r->text, "<user stack trace>\n");
	for (; stack_address(format, caller, r->event, i, &address); i++) {
		const struct source_frame *frame;
		struct user_symbol symbol;

		event_user_find(r->report, r->event, (int32_t)tgid, address, i > 0, &symbol);
		frame = put_inlined(r->report->user_symbols, &symbol, r->text);
		text_bytes(r->text, "=> ", 3);
		event_user_put_symbol(&symbol, frame, r->text);
		text_bytes(r->text, " (", 2);
		text_hex(r->text, address);
		text_bytes(r->text, ")\n", 2);
	}
	count_stack(r->report->user_symbols, i);
	return false;
}

/* Kernel addresses have the highest bit set. */
static bool event_user_is(const struct report *report, uint64_t address)
{
	uint64_t start;

	return !(address >> 63) &&
	       !report_symbol((struct report *)(uintptr_t)report, address, &start);
}

void rendering_user_address(const struct rendering *r, int32_t pid, uint64_t address, bool returned)
{
	const struct source_frame *frames;
	struct user_symbol symbol;
	size_t n;

	if (!r->report->user_symbols) {
		text_str(r->text, "0x");
		text_hex(r->text, address);
		return;
	}
	event_user_find(r->report, r->event, pid, address, returned, &symbol);
	n = user_symbols_lines(r->report->user_symbols, &symbol, &frames);
	event_user_put_symbol(&symbol, n ? &frames[n - 1] : NULL, r->text);
}

/* The symbols precede the kernel's text, which begins with the addresses. */
static bool print_probe(const struct rendering *r)
{
	uint64_t address, back;

	if (!rendering_number(r, PROBE_IP, &address) && !rendering_number(r, PROBE_FUNC, &address))
		return true;
	if (!event_user_is(r->report, address))
		return true;
	rendering_user_address(r, r->event->pid, address, false);
	if (rendering_number(r, PROBE_RET_IP, &back)) {
		text_str(r->text, " <- ");
		rendering_user_address(r, r->event->pid, back, true);
	}
	text_char(r->text, ' ');
	return true;
}

static const struct event_renderer stack_renderer = { "ftrace",
						      "user_stack",
						      { "caller", "tgid" },
						      event_user_print_stack };
static const struct event_renderer probe_renderer = { NULL,
						      NULL,
						      { "__probe_ip", "__probe_func",
							"__probe_ret_ip" },
						      print_probe };

/* Appends "main (app)" instead of the addresses, which differ between processes. */
static bool event_user_print_function(const struct rendering *r)
{
	const struct probed_function *function = report_user_function(r->report, r->event);

	if (!function)
		return true;
	quote_text_str(r->text, function->name);
	text_str(r->text, " (");
	quote_text_str(r->text, function->file);
	text_char(r->text, ')');
	return false;
}

static const struct event_renderer function_renderer = { NULL,
							 NULL,
							 { PROBED_FUNCTIONS_NUMBER },
							 event_user_print_function };

const struct event_renderer *event_user_function_renderer(const struct report *report,
							  const struct event_format *format)
{
	return report->users.system && str_eq(format->system, report->users.system) &&
			       (str_eq(format->name, PROBED_FUNCTIONS_ENTER) ||
				str_eq(format->name, PROBED_FUNCTIONS_LEAVE)) ?
		       &function_renderer :
		       NULL;
}

const struct probed_function *report_user_function(struct report *report,
						   const struct fathom_event *event)
{
	const struct event_entry *entry = event_table_find(&report->events, event->id);
	const struct event_field *field;
	uint64_t number;

	if (!entry || !event_user_function_renderer(report, entry->format))
		return NULL;
	field = event_field_find(entry->format, PROBED_FUNCTIONS_NUMBER);
	if (!field || !event_field_u64(entry->format, field, event->data, event->size, &number) ||
	    number >= PROBED_FUNCTIONS_MAX)
		return NULL;
	return probed_functions_find(&report->users, probed_function_address((uint32_t)number));
}

const struct event_renderer *event_user_renderer(const struct event_format *format)
{
	if (str_eq(format->system, "ftrace"))
		return str_eq(format->name, "user_stack") ? &stack_renderer : NULL;
	return event_field_find(format, "__probe_ip") || event_field_find(format, "__probe_func") ?
		       &probe_renderer :
		       NULL;
}

static void put_json_number(struct json *json, struct report *report, const char *name,
			    const struct event_format *format, const struct fathom_event *event)
{
	const struct event_field *field = event_field_find(format, name);
	struct user_symbol symbol;
	uint64_t address;

	if (!field || !event_field_u64(format, field, event->data, event->size, &address) ||
	    !event_user_is(report, address))
		return;
	event_user_find(report, event, event->pid, address, str_eq(name, "__probe_ret_ip"),
			&symbol);
	user_frame_json(json, report->user_symbols, &symbol, address);
}

/* Writes the user part of a sample's stack. */
static void put_json_sample(struct json *json, struct report *report,
			    const struct event_format *format, const struct fathom_event *event)
{
	const struct event_field *stack = event_field_find(format, "stack");
	const struct event_field *kernel = event_field_find(format, "kernel");
	const struct event_field *tgid = event_field_find(format, "tgid");
	uint64_t address, first, pid;

	if (!stack || !kernel || !tgid ||
	    !event_field_u64(format, kernel, event->data, event->size, &first) ||
	    !event_field_u64(format, tgid, event->data, event->size, &pid))
		return;
	json_begin_array(json, "user_symbols");
	for (uint64_t i = first;
	     event_field_element(format, stack, event->data, event->size, i, &address); i++) {
		struct user_symbol symbol;

		event_user_find(report, event, (int32_t)pid, address, i != first, &symbol);
		user_frame_json(json, report->user_symbols, &symbol, address);
	}
	json_end_array(json);
}

static bool event_user_is_sample(const struct event_format *format)
{
	return str_eq(format->system, SAMPLE_SYSTEM) &&
	       (str_eq(format->name, SAMPLE_NAME) || str_eq(format->name, WATCH_EVENT_NAME));
}

void event_user_json(struct json *json, struct report *report, const struct event_format *format,
		     const struct fathom_event *event)
{
	const struct event_renderer *renderer = report->user_symbols ? event_user_renderer(format) :
								       NULL;
	const struct probed_function *function = report_user_function(report, event);
	const struct event_field *caller, *tgid;
	uint64_t address, pid = (uint64_t)(uint32_t)event->pid;

	if (function) {
		json_string(json, "function", function->name);
		json_string(json, "executable", function->file);
	}
	if (report->user_symbols && event_user_is_sample(format))
		put_json_sample(json, report, format, event);
	if (!renderer)
		return;
	json_begin_array(json, "user_symbols");
	if (renderer == &probe_renderer) {
		for (unsigned i = PROBE_IP; i <= PROBE_RET_IP; i++)
			put_json_number(json, report, renderer->fields[i], format, event);
	} else {
		caller = event_field_find(format, "caller");
		tgid = event_field_find(format, "tgid");
		if (tgid)
			event_field_u64(format, tgid, event->data, event->size, &pid);
		for (size_t i = 0; caller && stack_address(format, caller, event, i, &address);
		     i++) {
			struct user_symbol symbol;

			event_user_find(report, event, (int32_t)pid, address, i > 0, &symbol);
			user_frame_json(json, report->user_symbols, &symbol, address);
		}
	}
	json_end_array(json);
}

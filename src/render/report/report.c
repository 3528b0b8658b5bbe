/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "format/file/trace-file.h"
#include "read/cursor.h"
#include "render/report/report-parts.h"

/* Shorter names are padded to this width. */
#define NAME_WIDTH 20
/* The size of the text that --debug appends to a line; longer text is cut. */
#define PLACE_SIZE 1024

static const char *env_symbol(const void *data, uint64_t address, uint64_t *ret_start)
{
	/* Only the cache is modified. */
	return report_symbol((struct report *)(uintptr_t)data, address, ret_start);
}

static const char *env_printk(const void *data, uint64_t address)
{
	const struct report *report = data;

	return printk_find(&report->printk, address);
}

/* Clocks in nanoseconds, according to trace-cmd. */
static bool clock_is_nanoseconds(const char *clock)
{
	static const char *const names[] = {
		"local", "global", "uptime", "perf", "tai", "tsc2nsec"
	};

	if (!*clock || str_after(clock, "mono"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(clock, names[i]))
			return true;
	return false;
}

bool report_clock_in_nanoseconds(const struct fathom_trace *trace, size_t buffer)
{
	const struct fathom_trace_info *info = fathom_trace_info(trace);
	struct fathom_trace_buffer of;

	if (info->tsc_mult)
		return true;
	if (fathom_trace_buffer(trace, buffer, &of) == 0 && *of.clock)
		return clock_is_nanoseconds(of.clock);
	return clock_is_nanoseconds(info->clock);
}

static int find_clocks(struct report *report)
{
	const struct fathom_trace_info *info = fathom_trace_info(report->trace);

	report->in_nanoseconds = mem_zalloc(info->buffers + (size_t)1, sizeof(bool));
	if (!report->in_nanoseconds)
		return -ENOMEM;
	report->n_buffers = info->buffers;
	for (size_t i = 0; i < info->buffers; i++) {
		report->in_nanoseconds[i] = !report->options->raw_time &&
					    report_clock_in_nanoseconds(report->trace, i);
	}
	return 0;
}

/* A missing or damaged section does not prevent events from being shown. */
static int load_section(struct report *report, enum fathom_section section)
{
	const char *bytes;
	size_t size;
	int r;

	r = fathom_trace_section(report->trace, section, &bytes, &size, NULL);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return 0;
	switch (section) {
	case FATHOM_SECTION_KALLSYMS:
		r = kallsyms_init(&report->own_kallsyms, bytes, size);
		break;
	case FATHOM_SECTION_PRINTK:
		r = printk_init(&report->printk, bytes, size);
		break;
	case FATHOM_SECTION_CMDLINES:
		r = tasks_add_cmdlines(&report->tasks, bytes, size);
		break;
	case FATHOM_SECTION_BTF:
		r = parameters_init(&report->parameters, bytes, size);
		break;
	default:
		break;
	}
	return r == -ENOMEM ? r : 0;
}

/* Loads user functions; long lists are spread over several options. */
static int load_users(struct report *report)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct fathom_trace_option option;

	for (size_t i = 0; fathom_trace_option(report->trace, i, &option) == 0; i++)
		if (option.id == TRACE_ID_FATHOM_FUNCTIONS && option.data)
			strbuf_add(&text, option.data, strlen(option.data));
	if (text.err)
		return -ENOMEM;
	if (!text.len)
		return 0;
	if (probed_functions_parse(&report->users, text.s, text.len) < 0)
		return -ENOMEM;
	report->own_kallsyms.users = report->events.users = &report->users;
	return 0;
}

static int load_names(struct report *report, const struct kallsyms *kallsyms)
{
	int r = 0;

	report->kallsyms = kallsyms ? kallsyms : &report->own_kallsyms;
	if (!kallsyms)
		r = load_section(report, FATHOM_SECTION_KALLSYMS);
	if (r == 0)
		r = load_users(report);
	if (r == 0)
		r = load_section(report, FATHOM_SECTION_PRINTK);
	if (r == 0)
		r = load_section(report, FATHOM_SECTION_CMDLINES);
	/* Only needed for arguments of functions, and large. */
	if (r == 0 && report->graph_exit && !report->options->compat_31)
		r = load_section(report, FATHOM_SECTION_BTF);
	return r;
}

static uint32_t common_offset(const struct event_format *format, const char *name)
{
	const struct event_field *field = event_field_find(format, name);

	return field && field->is_common && field->size == 1 ? field->offset : UINT32_MAX;
}

/* Makes " name: ", padded to a common column. */
static bool report_make_head(struct report *report, struct event_plan *plan, const char *name)
{
	size_t size = quote_length(name) + NAME_WIDTH + HEAD_SIZE;
	char *head = arena_zalloc(&report->arena, 1, size);
	struct text text;

	if (!head)
		return false;
	text_init(&text, head, size);
	text_char(&text, ' ');
	quote_text_str(&text, name);
	text_str(&text, ": ");
	text_pad(&text, 0, NAME_WIDTH + 3, true);
	plan->head = head;
	plan->head_len = (uint32_t)text_len(&text);
	return true;
}

static struct event_plan *report_new_plan(struct report *report, unsigned id)
{
	struct event_entry *entry = event_table_find(&report->events, id);
	const struct report_options *options = report->options;
	struct event_plan *plan;
	const struct event_format *format;

	if (!entry)
		return NULL;
	format = entry->format;
	plan = arena_zalloc(&report->arena, 1, sizeof(*plan));
	if (!plan || !report_make_head(report, plan, format->name)) {
		report->nomem = true;
		return NULL;
	}
	plan->entry = entry;
	plan->same_order = format->abi.big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	plan->flags = common_offset(format, "common_flags");
	plan->preempt = common_offset(format, "common_preempt_count");
	plan->migrate = common_offset(format, "common_migrate_disable");
	plan->lock_depth = common_offset(format, "common_lock_depth");
	plan->is_usual = plan->head_len <= HEAD_SIZE && plan->migrate == UINT32_MAX &&
			 plan->lock_depth == UINT32_MAX;
	plan->raw = options->raw ||
		    (options->raw_event &&
		     options->raw_event(options->match_data, format->system, format->name));
	if (plan->raw) {
		if (event_print_compile_fields(format, !options->compat_31, &report->arena,
					       &plan->program, NULL) == -ENOMEM)
			report->nomem = true;
		return plan;
	}
	plan->program = event_table_program(&report->events, entry, NULL);
	if (options->plain ||
	    (options->no_handler &&
	     options->no_handler(options->match_data, format->system, format->name)))
		return plan;
	plan->renderer = event_user_function_renderer(report, format);
	if (!plan->renderer && report->user_symbols)
		plan->renderer = event_user_renderer(format);
	if (!plan->renderer)
		plan->renderer = event_renderer_find(format->system, format->name);
	for (unsigned i = 0; plan->renderer && i < RENDERER_FIELDS; i++)
		if (plan->renderer->fields[i])
			plan->fields[i] = event_field_find(format, plan->renderer->fields[i]);
	return plan;
}

/* The make_plan() of struct report. Never returns NULL. */
static const struct event_plan *report_make_plan(struct report *report, unsigned id)
{
	struct event_plan *plan = report_new_plan(report, id);

	if (!plan)
		plan = &report->unknown;
	report->plans[id] = plan;
	return plan;
}

static const char unknown_head[HEAD_SIZE] = " [UNKNOWN EVENT]:      ";

int report_new(struct fathom_trace *trace, const struct report_options *options,
	       const struct kallsyms *kallsyms, struct report **ret_report, struct fathom_err *err)
{
	_cleanup_(report_free_p) struct report *report = mem_zalloc(1, sizeof(*report));
	int r;

	if (!report)
		return err_nomem(err);
	report->trace = trace;
	report->options = options;
	report->make_plan = report_make_plan;
	report->is_usual = !options->latency && !options->raw && !options->nanoseconds &&
			   !options->time_diff && !options->color_name &&
			   options->time == REPORT_TIME_ABSOLUTE;
	report_line_init(report);
	report->env =
		(struct print_env){ .symbol = env_symbol, .printk = env_printk, .data = report };
	report->unknown = (struct event_plan){ .flags = 2,
					       .preempt = 3,
					       .migrate = UINT32_MAX,
					       .lock_depth = UINT32_MAX,
					       .head = unknown_head,
					       .head_len = (uint32_t)strlen(unknown_head) };
	r = event_table_init(&report->events, trace, err);
	if (r < 0)
		return r;
	report->plans = mem_zalloc(EVENT_TABLE_IDS, sizeof(void *));
	if (!report->plans)
		return err_nomem(err);
	report->graph_exit = event_table_find_name(&report->events, "ftrace", "funcgraph_exit");
	r = find_clocks(report);
	if (r == 0)
		r = load_names(report, kallsyms);
	if (r < 0)
		return err_nomem(err);
	*ret_report = TAKE_PTR(report);
	return 0;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < report->n_cpus; i++)
		free(report->cpus[i].stack.functions);
	free(report->cpus);
	free(report->plans);
	free(report->in_nanoseconds);
	kallsyms_done(&report->own_kallsyms);
	probed_functions_done(&report->users);
	printk_done(&report->printk);
	parameters_done(&report->parameters);
	tasks_done(&report->tasks);
	event_table_done(&report->events);
	arena_done(&report->arena);
	free(report);
}

static void report_put_lost(const struct report *report, const struct fathom_event *event,
			    struct text *text)
{
	const struct report_options *options = report->options;

	if (options->color_lost)
		text_str(text, options->color_lost);
	text_str(text, "CPU:");
	text_u64(text, event->cpu);
	text_str(text, " [");
	if (event->missed != FATHOM_MISSED_UNKNOWN) {
		text_u64(text, event->missed);
		text_char(text, ' ');
	}
	text_str(text, "EVENTS DROPPED]");
	if (options->color_lost)
		text_str(text, options->color_end);
	text_char(text, '\n');
}

static void report_put_unknown(const struct fathom_event *event, struct text *text)
{
	text_str(text, "id=");
	text_u64(text, event->id);
	text_str(text, " size=");
	text_u64(text, event->size);
}

static void report_put_text(struct report *report, const struct event_plan *plan,
			    struct fathom_event *event, struct lookahead *lookahead,
			    struct text *text)
{
	const struct event_format *format = plan->entry->format;

	if (plan->renderer &&
	    !plan->renderer->print(&(struct rendering){ report, plan, event, lookahead, text }))
		return;
	if (plan->program) {
		event_print(plan->program, &report->env, event->data, event->size, text);
		return;
	}
	if (!plan->raw)
		text_str(text, "[FAILED TO PARSE]");
	event_print_fields(format, &report->env, event->data, event->size, text);
}

/* Some events have a text that ends with a newline. */
static void report_drop_line_break(struct text *text)
{
	if (text->p > text->s && text->p[-1] == '\n')
		text->p--;
}

void report_event_text(struct report *report, struct fathom_event *event, struct text *text)
{
	const struct event_plan *plan = report_plan(report, event->id);

	if (plan->entry)
		report_put_text(report, plan, event, NULL, text);
	else
		report_put_unknown(event, text);
	report_drop_line_break(text);
}

unsigned report_flags(struct report *report, const struct fathom_event *event)
{
	const struct event_plan *plan = report_plan(report, event->id);

	return plan->flags < event->size ? ((const unsigned char *)event->data)[plan->flags] : 0;
}

static inline __attribute__((always_inline)) void report_put_line(struct report *report,
								  struct fathom_event *event,
								  struct lookahead *lookahead,
								  struct text *text)
{
	const struct event_plan *plan = report_plan(report, event->id);

	report_line_head(report, plan, event, text);
	if (plan->entry)
		report_put_text(report, plan, event, lookahead, text);
	else
		report_put_unknown(event, text);
	report_drop_line_break(text);
}

/*
 * Appends a line and the position of its event in the file: the start of the page before it, the
 * place of the event after it.
 */
static void put_line_and_place(struct report *report, struct fathom_event *event,
			       struct lookahead *lookahead, struct text *text)
{
	struct fathom_cursor *cursor = lookahead->cursor;
	struct cursor_place place;
	bool has_place = report->options->debug && cursor_place(cursor, &place);
	char buf[PLACE_SIZE];
	struct text behind;

	if (cursor_at_page_start(cursor)) {
		text_str(text, "CPU:");
		text_u64(text, event->cpu);
		text_str(text, " [SUBBUFFER START]");
		if (has_place)
			report_debug_page(&place, text);
		text_char(text, '\n');
	}
	/* Writing the line looks ahead, which may move the cursor to the next page. */
	text_init(&behind, buf, sizeof(buf));
	if (has_place)
		report_debug_event(&place, event->size, &behind);
	report_put_line(report, event, lookahead, text);
	text_bytes(text, buf, text_len(&behind));
}

void report_line(struct report *report, struct fathom_event *event, struct lookahead *lookahead,
		 struct text *text)
{
	if (event->missed)
		report_put_lost(report, event, text);
	if (!event->data)
		return;
	if (__builtin_expect(report->options->boundary && lookahead, 0))
		put_line_and_place(report, event, lookahead, text);
	else
		report_put_line(report, event, lookahead, text);
	/* End the line even if it was cut. */
	if (text->p == text->end)
		text->p--;
	text_char(text, '\n');
}

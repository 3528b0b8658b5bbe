/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/report/report-setup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actions/input/reading.h"
#include "actions/input/time-arg.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/err-input.h"
#include "base/mem.h"
#include "base/pattern/pattern.h"
#include "base/str.h"
#include "read/context/tasks.h"
#include "read/context/user-processes.h"

#define AROUND_DEFAULT 20
/* Bits of common_flags for -I and -S. */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10

void report_setup_done(struct report_setup *setup)
{
	report_run_done(&setup->run);
	for (size_t i = 0; i < setup->n_inputs; i++) {
		report_filter_done(&setup->filters[i]);
		report_free(setup->inputs[i].report);
		fathom_trace_free(setup->inputs[i].trace);
	}
	free(setup->inputs);
	free(setup->filters);
	report_json_done(&setup->json);
	report_fields_done(&setup->fields);
	graph_done(&setup->graph);
	wakeup_done(&setup->wakeup);
	arena_done(&setup->arena);
}

int report_setup_room(struct report_setup *setup, size_t n, struct fathom_err *err)
{
	setup->inputs = mem_zalloc(n, sizeof(setup->inputs[0]));
	setup->filters = mem_zalloc(n, sizeof(setup->filters[0]));
	return setup->inputs && setup->filters ? 0 : err_nomem(err);
}

void report_setup_add(struct report_setup *setup, struct fathom_trace *trace, const char *label)
{
	setup->inputs[setup->n_inputs++] = (struct report_input){ .trace = trace,
								  .label = label,
								  .window = FATHOM_WINDOW_ALL };
}

/* Patterns of -r and -n: anchored, case-insensitive, matched against an event or its system. */
struct matcher {
	const struct pattern *raw[REPORT_LIST_MAX], *plain[REPORT_LIST_MAX];
	size_t n_raw, n_plain;
};

static bool report_setup_matches(const struct pattern *const *patterns, size_t n,
				 const char *system, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (pattern_match(patterns[i], name, strlen(name)) ||
		    pattern_match(patterns[i], system, strlen(system)))
			return true;
	return false;
}

static bool is_raw(const void *data, const char *system, const char *name)
{
	const struct matcher *m = data;

	return report_setup_matches(m->raw, m->n_raw, system, name);
}

static bool report_setup_is_plain(const void *data, const char *system, const char *name)
{
	const struct matcher *m = data;

	return report_setup_matches(m->plain, m->n_plain, system, name);
}

static int compile_list(struct report_setup *setup, const struct report_list *list,
			const struct pattern **patterns, size_t *ret_n, struct fathom_err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		_cleanup_free_ char *anchored = mem_printf("^%s$", list->items[i]);
		int r;

		if (!anchored)
			return err_nomem(err);
		r = pattern_compile(&setup->arena, PATTERN_REGEX, PATTERN_ICASE, anchored,
				    strlen(anchored), &patterns[i], err);
		if (r < 0)
			return r;
		*ret_n = i + 1;
	}
	return 0;
}

static int set_matchers(struct report_setup *setup, struct fathom_err *err)
{
	struct report_args *args = setup->args;
	struct matcher *m;
	int r;

	if (!args->raw_events.n && !args->no_handlers.n)
		return 0;
	m = arena_zalloc(&setup->arena, 1, sizeof(*m));
	if (!m)
		return err_nomem(err);
	r = compile_list(setup, &args->raw_events, m->raw, &m->n_raw, err);
	if (r == 0)
		r = compile_list(setup, &args->no_handlers, m->plain, &m->n_plain, err);
	args->options.match_data = m;
	args->options.raw_event = is_raw;
	args->options.no_handler = report_setup_is_plain;
	return r;
}

/* Selects events of a task, and events of others that refer to it. */
static int add_pid_filter(struct report_filter *filter, const char *pid, struct fathom_err *err)
{
	_cleanup_free_ char *text = NULL;

	if (pid[strspn(pid, "0123456789")])
		return err_set(err, -EINVAL, "invalid PID '%s': expected a number", pid);
	text = mem_printf(".*:(common_pid==%s)||(pid==%s)||(next_pid==%s)", pid, pid, pid);
	return text ? report_filter_add(filter, text, false, err) : err_nomem(err);
}

static int add_pid_filters(struct report_filter *filter, const struct report_list *pids,
			   struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < pids->n; i++) {
		_cleanup_free_ char *list = mem_strdup(pids->items[i]);
		char *rest = list;

		if (!list)
			return err_nomem(err);
		for (char *pid; r == 0 && (pid = str_next_word(&rest, ", "));)
			r = add_pid_filter(filter, pid, err);
	}
	return r;
}

/* Selects all tasks with that name in the file. */
static int add_comm_filter(struct report_filter *filter, const char *comm, struct fathom_err *err)
{
	size_t at = 0, n = 0;
	int r = 0;

	for (const struct task *task;
	     r == 0 && (task = tasks_next_named(report_tasks(filter->report), comm, &at)); n++) {
		char pid[16];

		snprintf(pid, sizeof(pid), "%" PRId32, task->pid);
		r = add_pid_filter(filter, pid, err);
	}
	if (r == 0 && !n)
		return err_set(
			err, -ENOENT,
			"no task '%s' in the file; -F 'comm == NAME' also finds tasks that are "
			"named later",
			comm);
	return r;
}

static int add_comm_filters(struct report_filter *filter, const struct report_list *comms,
			    struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < comms->n; i++) {
		_cleanup_free_ char *list = mem_strdup(comms->items[i]);
		char *rest = list;

		if (!list)
			return err_nomem(err);
		for (char *comm; r == 0 && (comm = str_next_word(&rest, ","));)
			r = add_comm_filter(filter, comm, err);
	}
	return r;
}

static int set_filters(struct report_setup *setup, size_t i, struct fathom_err *err)
{
	const struct report_args *args = setup->args;
	struct report_filter *filter = &setup->filters[i];
	int r = 0;

	for (size_t f = 0; r == 0 && f < args->filters.n; f++) {
		r = report_filter_add(filter, args->filters.items[f], args->hide[f], err);
		if (r < 0)
			err_show_input(err, args->filters.items[f]);
	}
	if (r == 0)
		r = add_pid_filters(filter, &args->pids, err);
	if (r == 0)
		r = add_comm_filters(filter, &args->comms, err);
	if (r == 0) {
		r = report_filter_bind(filter, err);
		/* Filters derived from other options come after these. */
		if (r < 0 && filter->list.failed < args->filters.n)
			err_show_input(err, args->filters.items[filter->list.failed]);
	}
	filter->hide_flags = (args->no_irqs ? FLAG_HARDIRQ : 0) |
			     (args->no_softirqs ? FLAG_SOFTIRQ : 0);
	if (filter->list.n || filter->hide_flags) {
		setup->inputs[i].wanted = report_filter_wanted;
		setup->inputs[i].wanted_data = filter;
	}
	return r;
}

/* Finds the numbers of the buffers selected by name. */
static int set_buffers(struct report_setup *setup, struct report_input *input,
		       struct fathom_err *err)
{
	const struct report_list *wanted = &setup->args->buffers;
	size_t n = fathom_trace_info(input->trace)->buffers;
	uint16_t *numbers;

	if (!wanted->n)
		return 0;
	numbers = arena_zalloc(&setup->arena, n ? n : 1, sizeof(*numbers));
	if (!numbers)
		return err_nomem(err);
	input->window.buffers = numbers;
	for (size_t b = 0; b < n && b <= UINT16_MAX; b++) {
		struct fathom_trace_buffer buffer;
		const char *name;

		if (fathom_trace_buffer(input->trace, b, &buffer) < 0)
			continue;
		name = *buffer.name ? buffer.name : "top";
		for (size_t i = 0; i < wanted->n; i++)
			if (str_eq(wanted->items[i], name)) {
				numbers[input->window.n_buffers++] = (uint16_t)b;
				break;
			}
	}
	if (!input->window.n_buffers)
		return err_set(err, -ENOENT, "no buffer '%s' in the file; 'fathom info' lists them",
			       wanted->items[0]);
	return 0;
}

static int report_setup_first_time(struct report_input *input, uint64_t *ret_time,
				   struct fathom_err *err)
{
	struct fathom_cursor *cursor;
	struct fathom_event event;
	int r = fathom_cursor_new(input->trace, NULL, &cursor, err);

	if (r < 0)
		return r;
	r = fathom_cursor_next(cursor, &event);
	*ret_time = r > 0 ? event.time : 0;
	fathom_cursor_free(cursor);
	return r < 0 ? err_nomem(err) : r;
}

static int report_setup_get_time(struct report_input *input, const char *text, uint64_t *time,
				 struct fathom_err *err)
{
	uint64_t given, start = 0;
	bool relative;
	int r;

	if (!text)
		return 0;
	r = time_arg_parse(text, !report_in_nanoseconds(input->report, 0), &given, &relative, err);
	if (r == 0 && relative) {
		r = report_setup_first_time(input, &start, err);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	if (__builtin_add_overflow(start, given, time))
		*time = UINT64_MAX;
	return 0;
}

static int report_setup_set_window(struct report_setup *setup, struct report_input *input,
				   struct fathom_err *err)
{
	const struct report_args *args = setup->args;
	int r = report_setup_get_time(input, args->from, &input->window.from, err);

	if (r == 0)
		r = report_setup_get_time(input, args->to, &input->window.to, err);
	if (r == 0)
		r = report_setup_get_time(input, args->around, &setup->run.around, err);
	if (r == 0)
		r = set_buffers(setup, input, err);
	if (args->n_cpus) {
		input->window.cpus = args->cpus;
		input->window.n_cpus = args->n_cpus;
	}
	return r;
}

static int align_times(struct report_setup *setup, struct fathom_err *err)
{
	uint64_t earliest = UINT64_MAX;

	if (!setup->args->align)
		return 0;
	for (size_t i = 0; i < setup->n_inputs; i++) {
		uint64_t time;
		int r = report_setup_first_time(&setup->inputs[i], &time, err);

		if (r < 0)
			return r;
		if (r > 0 && time < earliest)
			earliest = time;
	}
	for (size_t i = 0; earliest != UINT64_MAX && i < setup->n_inputs; i++)
		setup->inputs[i].time_offset -= (int64_t)earliest;
	return 0;
}

static int set_selection(struct report_setup *setup, struct fathom_err *err)
{
	const struct report_args *args = setup->args;
	struct report_run *run = &setup->run;

	run->select = REPORT_ALL;
	if (args->around) {
		run->select = REPORT_AROUND;
		run->count = args->has_first ? args->first : AROUND_DEFAULT;
	} else if (args->has_first) {
		run->select = REPORT_FIRST;
		run->count = args->first;
	} else if (args->has_last) {
		run->select = REPORT_LAST;
		run->count = args->last;
	}
	if ((args->around || args->has_last || args->graph) && setup->n_inputs > 1)
		return err_set(err, -EINVAL, "--last, --around and --graph require a single file");
	run->check_time = args->check;
	return 0;
}

/* When the times are known. */
static int set_user_symbols(struct report_setup *setup, struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; setup->user_symbols && r == 0 && i < setup->n_inputs; i++) {
		struct report_input *input = &setup->inputs[i];
		struct user_symbols *symbols = &setup->user_symbols[i];

		r = user_processes_read(input->trace, report_events(input->report), symbols, err);
		report_use_user_symbols(input->report, symbols, input->time_offset);
	}
	return r;
}

static int report_setup_fields(struct report_setup *setup, struct fathom_err *err)
{
	const struct report_args *args = setup->args;

	if (args->fields)
		return report_fields_list(&setup->fields, args->fields, err);
	return args->layout ? report_fields_template(&setup->fields, args->layout, err) : 0;
}

int report_setup_prepare(struct report_setup *setup, struct fathom_err *err)
{
	struct report_args *args = setup->args;
	int r = set_matchers(setup, err);

	if (r == 0)
		r = report_setup_fields(setup, err);
	args->options.raw_time = args->raw_ts;
	for (size_t i = 0; r == 0 && i < setup->n_inputs; i++) {
		struct report_input *input = &setup->inputs[i];

		r = report_new(input->trace, &args->options, setup->kallsyms, &input->report, err);
		if (r < 0)
			return r;
		report_filter_init(&setup->filters[i], input->report, input->trace);
		r = set_filters(setup, i, err);
		if (r == 0)
			r = report_fields_check(&setup->fields, input->report, err);
		if (r == 0)
			r = report_setup_set_window(setup, input, err);
		reading_limit(input->trace, &input->window);
	}
	if (r == 0)
		r = align_times(setup, err);
	if (r == 0)
		r = set_user_symbols(setup, err);
	if (r == 0)
		r = set_selection(setup, err);
	setup->run.inputs = setup->inputs;
	setup->run.n_inputs = setup->n_inputs;
	if (r == 0 && report_run_label(&setup->run) < 0)
		r = err_nomem(err);
	return r;
}

void report_setup_writer(struct report_setup *setup)
{
	const struct report_args *args = setup->args;

	setup->run.writer = report_write_text;
	if (args->json || args->csv) {
		setup->run.writer = args->json ? report_write_json : report_write_csv;
		setup->run.writer_data = &setup->json;
	} else if (args->fields || args->layout) {
		setup->run.writer = report_write_fields;
		setup->run.writer_data = &setup->fields;
	} else if (args->graph) {
		setup->run.writer = graph_write;
		setup->run.writer_data = &setup->graph;
	} else if (args->wakeups) {
		setup->run.writer = wakeup_write;
		setup->run.writer_data = &setup->wakeup;
	}
}

void report_setup_colors(struct report_args *args, const struct out *out)
{
	struct report_options *options = &args->options;

	if (!out->color || args->json || args->csv)
		return;
	options->color_name = out_style(out, OUT_NAME);
	options->color_lost = out_style(out, OUT_WARN);
	options->color_end = out_style(out, OUT_PLAIN);
}

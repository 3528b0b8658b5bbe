/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/report-show.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/sandbox.h"
#include "base/str.h"
#include "cli/damage.h"
#include "cli/time-arg.h"
#include "cli/trace-input.h"
#include "read/tasks.h"
#include "render/graph.h"
#include "render/report-filter.h"
#include "render/report-json.h"
#include "render/report-run.h"
#include "render/wakeup.h"
#include "symbols/kallsyms.h"

#define AROUND_DEFAULT 20
/* Bits of common_flags for -I and -S. */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10

/* All that has to be released at the end. */
struct show {
	const struct invocation *invocation;
	struct report_args *args;
	int *fds; /* of the inputs that are not read yet; else -1 */
	size_t n_fds;
	struct report_input *inputs;
	struct report_filter *filters;
	size_t n_inputs;
	struct strbuf kallsyms_text;
	struct kallsyms kallsyms;
	bool has_kallsyms;
	struct arena arena;
	struct report_run run;
	struct sink sink;
	struct report_json json;
	struct graph graph;
	struct wakeup wakeup;
};

static void show_done(struct show *show)
{
	report_run_done(&show->run);
	for (size_t i = 0; i < show->n_inputs; i++) {
		report_filter_done(&show->filters[i]);
		report_free(show->inputs[i].report);
		fathom_trace_free(show->inputs[i].trace);
	}
	for (size_t i = 0; i < show->n_fds; i++)
		if (show->fds[i] >= 0)
			close(show->fds[i]);
	free(show->fds);
	free(show->inputs);
	free(show->filters);
	strbuf_done(&show->kallsyms_text);
	if (show->has_kallsyms)
		kallsyms_done(&show->kallsyms);
	sink_done(&show->sink);
	report_json_done(&show->json);
	graph_done(&show->graph);
	wakeup_done(&show->wakeup);
	arena_done(&show->arena);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int open_inputs(struct show *show, struct fathom_err *err)
{
	const struct report_args *args = show->args;
	int r;

	show->fds = mem_zalloc(args->n_files, sizeof(show->fds[0]));
	if (!show->fds)
		return err_nomem(err);
	for (size_t i = 0; i < args->n_files; i++) {
		r = trace_input_open(args->files[i].path, err);
		if (r < 0)
			return r;
		show->fds[show->n_fds++] = r;
	}
	if (!args->kallsyms)
		return 0;
	r = file_read(AT_FDCWD, args->kallsyms, &show->kallsyms_text);
	if (r < 0)
		return err_set_errno(err, r, "cannot read symbols from '%s'", args->kallsyms);
	return 0;
}

static int read_inputs(struct show *show, struct fathom_err *err)
{
	struct report_args *args = show->args;
	unsigned flags = (args->raw_ts ? FATHOM_OPEN_RAW_TIME : 0) |
			 (args->no_date ? FATHOM_OPEN_NO_DATE : 0);

	show->inputs = mem_zalloc(args->n_files, sizeof(show->inputs[0]));
	show->filters = mem_zalloc(args->n_files, sizeof(show->filters[0]));
	if (!show->inputs || !show->filters)
		return err_nomem(err);
	for (size_t i = 0; i < args->n_files; i++) {
		struct report_input *input = &show->inputs[i];
		const struct report_file *file = &args->files[i];
		int r = trace_input_read(TAKE_FD(show->fds[i]), file->path, flags, &input->trace,
					 err);

		if (r < 0)
			return r;
		show->n_inputs++;
		input->window = (struct fathom_window)FATHOM_WINDOW_ALL;
		input->label = args->n_files > 1 ? base_name(file->path) : NULL;
		input->time_offset = file->offset;
		input->time_factor = file->ts2secs ? file->ts2secs : args->ts2secs;
	}
	return 0;
}

static int read_kallsyms(struct show *show, struct fathom_err *err)
{
	const char *path = show->args->kallsyms;
	const struct strbuf *text = &show->kallsyms_text;
	int r;

	if (!path)
		return 0;
	r = kallsyms_init(&show->kallsyms, strbuf_str(text), text->len);
	if (r < 0)
		return err_set_errno(err, r, "cannot read symbols from '%s'", path);
	show->has_kallsyms = true;
	return 0;
}

/* Patterns of -r and -n: anchored, capital or small letters, of an event or its system. */
struct matcher {
	const struct pattern *raw[REPORT_LIST_MAX], *plain[REPORT_LIST_MAX];
	size_t n_raw, n_plain;
};

static bool matches(const struct pattern *const *patterns, size_t n, const char *system,
		    const char *name)
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

	return matches(m->raw, m->n_raw, system, name);
}

static bool is_plain(const void *data, const char *system, const char *name)
{
	const struct matcher *m = data;

	return matches(m->plain, m->n_plain, system, name);
}

static int compile_list(struct show *show, const struct report_list *list,
			const struct pattern **patterns, size_t *ret_n, struct fathom_err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		_cleanup_free_ char *anchored = mem_printf("^%s$", list->items[i]);
		int r;

		if (!anchored)
			return err_nomem(err);
		r = pattern_compile(&show->arena, PATTERN_REGEX, PATTERN_ICASE, anchored,
				    strlen(anchored), &patterns[i], err);
		if (r < 0)
			return r;
		*ret_n = i + 1;
	}
	return 0;
}

static int set_matchers(struct show *show, struct fathom_err *err)
{
	struct report_args *args = show->args;
	struct matcher *m;
	int r;

	if (!args->raw_events.n && !args->no_handlers.n)
		return 0;
	m = arena_zalloc(&show->arena, 1, sizeof(*m));
	if (!m)
		return err_nomem(err);
	r = compile_list(show, &args->raw_events, m->raw, &m->n_raw, err);
	if (r == 0)
		r = compile_list(show, &args->no_handlers, m->plain, &m->n_plain, err);
	args->options.match_data = m;
	args->options.raw_event = is_raw;
	args->options.no_handler = is_plain;
	return r;
}

/* Events of a task, and those of others that are about it. */
static int add_pid_filter(struct report_filter *filter, const char *pid, struct fathom_err *err)
{
	_cleanup_free_ char *text = NULL;

	if (pid[strspn(pid, "0123456789")])
		return err_set(err, -EINVAL, "'%s' is not a pid", pid);
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

/* All tasks of that name which the file knows. */
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
		return err_set(err, -ENOENT,
			       "the file knows no task '%s'; -F 'comm == NAME' also finds tasks "
			       "that are named later on",
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

static int set_filters(struct show *show, size_t i, struct fathom_err *err)
{
	const struct report_args *args = show->args;
	struct report_filter *filter = &show->filters[i];
	int r = 0;

	for (size_t f = 0; r == 0 && f < args->filters.n; f++)
		r = report_filter_add(filter, args->filters.items[f], args->hide[f], err);
	if (r == 0)
		r = add_pid_filters(filter, &args->pids, err);
	if (r == 0)
		r = add_comm_filters(filter, &args->comms, err);
	if (r == 0)
		r = report_filter_bind(filter, err);
	filter->hide_flags = (args->no_irqs ? FLAG_HARDIRQ : 0) |
			     (args->no_softirqs ? FLAG_SOFTIRQ : 0);
	if (filter->list.n || filter->hide_flags) {
		show->inputs[i].wanted = report_filter_wanted;
		show->inputs[i].wanted_data = filter;
	}
	return r;
}

/* The numbers of the buffers that are wanted by name. */
static int set_buffers(struct show *show, struct report_input *input, struct fathom_err *err)
{
	const struct report_list *wanted = &show->args->buffers;
	size_t n = fathom_trace_info(input->trace)->buffers;
	uint16_t *numbers;

	if (!wanted->n)
		return 0;
	numbers = arena_zalloc(&show->arena, n ? n : 1, sizeof(*numbers));
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

static int first_time(struct report_input *input, uint64_t *ret_time, struct fathom_err *err)
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

static int get_time(struct report_input *input, const char *text, uint64_t *time,
		    struct fathom_err *err)
{
	uint64_t given, start = 0;
	bool relative;
	int r;

	if (!text)
		return 0;
	r = time_arg_parse(text, !report_in_nanoseconds(input->report, 0), &given, &relative, err);
	if (r == 0 && relative) {
		r = first_time(input, &start, err);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	if (__builtin_add_overflow(start, given, time))
		*time = UINT64_MAX;
	return 0;
}

static int set_window(struct show *show, struct report_input *input, struct fathom_err *err)
{
	const struct report_args *args = show->args;
	int r = get_time(input, args->from, &input->window.from, err);

	if (r == 0)
		r = get_time(input, args->to, &input->window.to, err);
	if (r == 0)
		r = get_time(input, args->around, &show->run.around, err);
	if (r == 0)
		r = set_buffers(show, input, err);
	if (args->n_cpus) {
		input->window.cpus = args->cpus;
		input->window.n_cpus = args->n_cpus;
	}
	return r;
}

static int align_times(struct show *show, struct fathom_err *err)
{
	uint64_t earliest = UINT64_MAX;

	if (!show->args->align)
		return 0;
	for (size_t i = 0; i < show->n_inputs; i++) {
		uint64_t time;
		int r = first_time(&show->inputs[i], &time, err);

		if (r < 0)
			return r;
		if (r > 0 && time < earliest)
			earliest = time;
	}
	for (size_t i = 0; earliest != UINT64_MAX && i < show->n_inputs; i++)
		show->inputs[i].time_offset -= (int64_t)earliest;
	return 0;
}

static int set_selection(struct show *show, struct fathom_err *err)
{
	const struct report_args *args = show->args;
	struct report_run *run = &show->run;

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
	if ((args->around || args->has_last || args->graph) && show->n_inputs > 1)
		return err_set(err, -EINVAL,
			       "'--last', '--around' and '--graph' work with one file");
	run->check_time = args->check;
	return 0;
}

static int prepare(struct show *show, struct fathom_err *err)
{
	struct report_args *args = show->args;
	int r = set_matchers(show, err);

	args->options.raw_time = args->raw_ts;
	for (size_t i = 0; r == 0 && i < show->n_inputs; i++) {
		struct report_input *input = &show->inputs[i];

		r = report_new(input->trace, &args->options,
			       show->has_kallsyms ? &show->kallsyms : NULL, &input->report, err);
		if (r < 0)
			return r;
		report_filter_init(&show->filters[i], input->report, input->trace);
		r = set_filters(show, i, err);
		if (r == 0)
			r = set_window(show, input, err);
	}
	if (r == 0)
		r = align_times(show, err);
	if (r == 0)
		r = set_selection(show, err);
	show->run.inputs = show->inputs;
	show->run.n_inputs = show->n_inputs;
	if (r == 0 && report_run_label(&show->run) < 0)
		r = err_nomem(err);
	return r;
}

static void choose_writer(struct show *show)
{
	const struct report_args *args = show->args;

	show->run.writer = report_write_text;
	if (args->json || args->csv) {
		show->run.writer = args->json ? report_write_json : report_write_csv;
		show->run.writer_data = &show->json;
	} else if (args->graph) {
		show->run.writer = graph_write;
		show->run.writer_data = &show->graph;
	} else if (args->wakeups) {
		show->run.writer = wakeup_write;
		show->run.writer_data = &show->wakeup;
	}
}

/* "cpus=4", for each file, and the text of latency tracers. */
static void write_head(struct show *show)
{
	struct text *text = &show->sink.text;

	for (size_t i = 0; i < show->n_inputs; i++) {
		const struct report_input *input = &show->inputs[i];
		struct fathom_trace_buffer buffer;

		if (input->label && input->n_prefixes)
			text_str(text, input->prefixes[0]);
		text_str(text, "cpus=");
		text_u64(text, fathom_trace_info(input->trace)->cpus);
		text_char(text, '\n');
		for (size_t b = 0; fathom_trace_buffer(input->trace, b, &buffer) == 0; b++) {
			const char *bytes;
			size_t size;

			if (!buffer.is_text ||
			    fathom_trace_text(input->trace, b, &bytes, &size, NULL) < 0)
				continue;
			for (size_t at = 0; at < size; at += SINK_FULL) {
				text_bytes(text, bytes + at,
					   size - at < SINK_FULL ? size - at : SINK_FULL);
				sink_flush_if_full(&show->sink);
			}
			text_char(text, '\n');
		}
	}
}

static int write_events(struct show *show, struct fathom_err *err)
{
	struct out *out = show->invocation->out;
	int r;

	fflush(out->stream);
	r = sink_init(&show->sink, out->fd);
	if (r < 0)
		return err_nomem(err);
	if (out->terminal)
		show->sink.printable = &out->printable;
	choose_writer(show);
	if (show->args->csv)
		report_write_csv_head(&show->sink.text);
	else if (show->args->graph)
		graph_write_head(&show->sink.text);
	else if (!show->args->json)
		write_head(show);
	r = report_run(&show->run, &show->sink, err);
	if (r == 0 && show->args->graph &&
	    graph_write_end(&show->graph, &show->inputs[0], &show->sink.text) < 0)
		r = err_nomem(err);
	else if (r == 0 && show->args->wakeups &&
		 wakeup_write_summary(&show->wakeup, &show->sink.text) < 0)
		r = err_nomem(err);
	sink_flush(&show->sink);
	if (show->sink.err == -EPIPE)
		return 0;
	if (show->sink.err)
		return err_set_errno(err, show->sink.err, "cannot write the output");
	return r;
}

/* What a reader has to know to judge what was shown; on stderr, the output is for programs. */
static int tell_end(const struct show *show)
{
	uint64_t lost = 0, unknown = 0;
	int code = EXIT_OK;

	for (size_t i = 0; i < show->n_inputs; i++) {
		lost += show->inputs[i].lost;
		unknown += show->inputs[i].lost_unknown;
		if (damage_tell(show->invocation->command, show->inputs[i].trace,
				show->args->files[i].path, show->args->quiet))
			code = EXIT_DAMAGED;
	}
	if (show->args->quiet)
		return code;
	for (size_t i = 0; i < show->n_inputs; i++)
		if (fathom_trace_info(show->inputs[i].trace)->unfinished)
			fprintf(stderr,
				"fathom report: '%s' is unfinished: its recorder is at work or "
				"died; 'fathom recover' finishes it\n",
				show->args->files[i].path);
	if (lost || unknown)
		fprintf(stderr,
			"fathom report: %" PRIu64 " events were lost while recording%s; lines with "
			"'EVENTS DROPPED' say where\n",
			lost, unknown ? ", and more whose number is not known" : "");
	if (show->run.backwards)
		fprintf(stderr, "fathom report: time ran backwards at %" PRIu64 " events\n",
			show->run.backwards);
	return code;
}

static int list_parts(struct show *show, struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < show->n_inputs; i++)
		r = report_list(show->invocation, show->args, show->inputs[i].trace,
				show->args->files[i].path, err);
	return r;
}

static void set_colors(struct show *show)
{
	struct report_options *options = &show->args->options;
	const struct out *out = show->invocation->out;

	if (!out->color || show->args->json || show->args->csv)
		return;
	options->color_name = out_style(out, OUT_NAME);
	options->color_lost = out_style(out, OUT_WARN);
	options->color_end = out_style(out, OUT_PLAIN);
}

int report_show(const struct invocation *invocation, struct report_args *args)
{
	_cleanup_(show_done) struct show show = { .invocation = invocation, .args = args };
	struct fathom_err err = { 0 };
	int r;

	/* Who reads us may stop at any time: then the write fails, and that is all. */
	signal(SIGPIPE, SIG_IGN);
	set_colors(&show);
	r = open_inputs(&show, &err);
	if (r == 0)
		r = sandbox_enter(&err);
	if (r >= 0)
		r = read_inputs(&show, &err);
	if (r == 0)
		r = read_kallsyms(&show, &err);
	if (r >= 0 && report_list_wanted(args)) {
		r = list_parts(&show, &err);
		return r < 0 ? command_failed(invocation->command, &err) : r;
	}
	if (r >= 0)
		r = prepare(&show, &err);
	if (r >= 0 && !args->test_filters)
		r = write_events(&show, &err);
	if (r < 0)
		return command_failed(invocation->command, &err);
	return tell_end(&show);
}

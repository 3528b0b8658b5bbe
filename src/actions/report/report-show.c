/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/report/report-show.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "actions/input/damage.h"
#include "actions/input/reading.h"
#include "actions/input/trace-input.h"
#include "actions/names/line-helper.h"
#include "actions/names/symbol-broker.h"
#include "actions/report/report-setup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "process/sandbox.h"
#include "read/trace.h"
#include "render/kit/completeness-read.h"

/* Everything to release at the end. */
struct show {
	const struct action *action;
	struct report_args *args;
	int *fds; /* of inputs that have not been read yet; otherwise -1 */
	size_t n_fds;
	struct strbuf kallsyms_text;
	struct kallsyms kallsyms;
	bool has_kallsyms;
	struct report_setup setup;
	struct broker broker; /* for user symbols */
	struct line_helper helper; /* for source lines */
	struct user_symbols *user_symbols; /* per file; NULL: not wanted */
	struct sink sink;
};

static void show_done(struct show *show)
{
	report_setup_done(&show->setup);
	for (size_t i = 0; show->user_symbols && i < show->args->n_files; i++)
		user_symbols_done(&show->user_symbols[i]);
	free(show->user_symbols);
	line_helper_done(&show->helper);
	broker_done(&show->broker);
	for (size_t i = 0; i < show->n_fds; i++)
		if (show->fds[i] >= 0)
			close(show->fds[i]);
	free(show->fds);
	strbuf_done(&show->kallsyms_text);
	if (show->has_kallsyms)
		kallsyms_done(&show->kallsyms);
	sink_done(&show->sink);
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

/* User symbols need files that only the trace names: another process opens them. */
static int report_show_enter_sandbox(struct show *show, struct fathom_err *err)
{
	const struct report_args *args = show->args;
	int r;

	if (!args->user_symbols)
		return sandbox_enter(err);
	show->user_symbols = mem_zalloc(args->n_files, sizeof(*show->user_symbols));
	if (!show->user_symbols)
		return err_nomem(err);
	r = symbol_broker_start(&show->broker, args->debuginfod, err);
	if (r < 0)
		return r;
	if (args->lines)
		r = line_helper_start(&show->helper, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < args->n_files; i++) {
		symbol_broker_use(&show->broker, &show->user_symbols[i]);
		if (args->lines)
			line_helper_use(&show->helper, &show->user_symbols[i]);
	}
	show->setup.user_symbols = show->user_symbols;
	return sandbox_enter_asking(err);
}

static int read_inputs(struct show *show, struct fathom_err *err)
{
	struct report_args *args = show->args;
	unsigned flags = (args->raw_ts ? FATHOM_OPEN_RAW_TIME : 0) |
			 (args->no_date ? FATHOM_OPEN_NO_DATE : 0);

	int r = report_setup_room(&show->setup, args->n_files, err);

	for (size_t i = 0; i < args->n_files && r == 0; i++) {
		const struct report_file *file = &args->files[i];
		struct fathom_trace *trace;
		struct report_input *input;

		r = trace_input_read(TAKE_FD(show->fds[i]), file->path, flags, &trace, err);
		if (r < 0)
			break;
		report_setup_add(&show->setup, trace,
				 args->n_files > 1 ? str_base_name(file->path) : NULL);
		input = &show->setup.inputs[i];
		input->time_offset = file->offset;
		if (file->ts2secs || args->ts2secs)
			trace_scale_time(trace, file->ts2secs ? file->ts2secs : args->ts2secs);
	}
	return r;
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
	show->setup.kallsyms = &show->kallsyms;
	return 0;
}

/* Prints "cpus=4" for each file, and the text of latency tracers. */
static void write_head(struct show *show)
{
	struct text *text = &show->sink.text;

	for (size_t i = 0; i < show->setup.n_inputs; i++) {
		const struct report_input *input = &show->setup.inputs[i];
		struct fathom_trace_buffer buffer;

		if (show->args->options.debug) {
			text_str(text, "version = ");
			text_u64(text, fathom_trace_info(input->trace)->version);
			text_char(text, '\n');
		}
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

static int write_json_end(struct show *show)
{
	const struct report_setup *setup = &show->setup;
	struct completeness sum = { 0 };

	for (size_t i = 0; i < setup->n_inputs; i++) {
		const struct report_input *input = &setup->inputs[i];
		struct completeness completeness;

		if (completeness_read(input->trace, &input->window, &completeness) < 0)
			return -ENOMEM;
		completeness.lost_known = true;
		completeness.lost = input->lost;
		completeness.lost_more = input->lost_unknown;
		completeness.time_range |= setup->run.select != REPORT_ALL;
		completeness.filtered |= input->wanted != NULL;
		completeness_add(&sum, &completeness);
	}
	report_write_json_end(&show->setup.json, &sum, &show->sink.text);
	return 0;
}

static int write_events(struct show *show, struct fathom_err *err)
{
	struct out *out = show->action->out;
	int r;

	fflush(out->stream);
	r = sink_init(&show->sink, out->fd);
	if (r < 0)
		return err_nomem(err);
	show->sink.printable = &out->printable;
	report_setup_writer(&show->setup);
	if (show->args->csv)
		report_write_csv_head(&show->sink.text);
	else if (show->args->graph)
		graph_write_head(&show->sink.text);
	else if (!show->args->json && !show->args->fields && !show->args->layout)
		write_head(show);
	r = report_run(&show->setup.run, &show->sink, err);
	if (r == 0 && show->args->graph &&
	    graph_write_end(&show->setup.graph, &show->setup.inputs[0], &show->sink.text) < 0)
		r = err_nomem(err);
	else if (r == 0 && show->args->json && write_json_end(show) < 0)
		r = err_nomem(err);
	else if (r == 0 && show->args->wakeups &&
		 wakeup_write_summary(&show->setup.wakeup, &show->sink.text) < 0)
		r = err_nomem(err);
	sink_flush(&show->sink);
	if (show->sink.err == -EPIPE)
		return 0;
	if (show->sink.err)
		return err_set_errno(err, show->sink.err, "cannot write the output");
	return r;
}

/* Reports how many user addresses have no name, and the most frequent reason. */
static void print_unresolved(const struct show *show)
{
	uint64_t counts[USER_REASONS] = { 0 }, all = 0;
	unsigned most = USER_RESOLVED + 1;
	bool has_maps = false;

	for (size_t i = 0; show->user_symbols && i < show->setup.n_inputs; i++) {
		has_maps |= show->user_symbols[i].maps.n > 0;
		for (unsigned why = 0; why < USER_REASONS; why++)
			counts[why] += show->user_symbols[i].answers[why];
	}
	for (unsigned why = 0; why < USER_REASONS; why++) {
		all += counts[why];
		if (why > most && counts[why] > counts[most])
			most = why;
	}
	if (all > counts[USER_RESOLVED])
		quote_printf(show->action->messages,
			     "fathom report: %" PRIu64 " of %" PRIu64
			     " user addresses have no name; most of "
			     "them: %s%s\n",
			     all - counts[USER_RESOLVED], all,
			     user_unresolved_text((enum user_unresolved)most),
			     has_maps ? "" : "; 'fathom record --user-stack' records it");
}

/* Reports stacks that the kernel could not follow, and mappings that it could not report. */
static void print_gaps(const struct show *show)
{
	uint64_t stacks = 0, short_stacks = 0, lost = 0, with = 0, without = 0;
	uint64_t unread = 0;

	for (size_t i = 0; show->user_symbols && i < show->setup.n_inputs; i++) {
		stacks += show->user_symbols[i].stacks;
		short_stacks += show->user_symbols[i].short_stacks;
		lost += show->user_symbols[i].maps.lost;
		with += show->user_symbols[i].with_line;
		without += show->user_symbols[i].without_line;
		unread += show->user_symbols[i].unread_line;
	}
	line_helper_print_unread(&show->helper, show->action, unread, with + without);
	if (without > unread)
		quote_printf(show->action->messages,
			     "fathom report: %" PRIu64 " of %" PRIu64
			     " user functions have no source line: "
			     "no debug info found%s\n",
			     without - unread, with + without,
			     source_lines_supported() ? "" :
							", because fathom was built without libdw");
	if (short_stacks)
		quote_printf(
			show->action->messages,
			"fathom report: %" PRIu64 " of %" PRIu64
			" user stack traces have only one address: the code was built without frame "
			"pointers; build it with -fno-omit-frame-pointer\n",
			short_stacks, stacks);
	if (lost)
		quote_printf(show->action->messages,
			     "fathom report: %" PRIu64 " changes of memory mappings were not "
			     "recorded: too many at once; names may be missing or wrong\n",
			     lost);
}

/* Reports on standard error what users need to know to judge the output. */
static int report_show_report_end(const struct show *show)
{
	uint64_t lost = 0, unknown = 0;
	int code = EXIT_OK;

	for (size_t i = 0; i < show->setup.n_inputs; i++) {
		lost += show->setup.inputs[i].lost;
		unknown += show->setup.inputs[i].lost_unknown;
		if (damage_report(show->action, show->setup.inputs[i].trace,
				  show->args->files[i].path, show->args->quiet) &&
		    code == EXIT_OK)
			code = EXIT_DAMAGED;
		code = reading_report(show->action, show->setup.inputs[i].trace, show->args->quiet) ?:
			       code;
	}
	if (show->args->quiet)
		return code;
	for (size_t i = 0; i < show->setup.n_inputs; i++)
		if (fathom_trace_info(show->setup.inputs[i].trace)->unfinished)
			quote_printf(
				show->action->messages,
				"fathom report: '%s' is unfinished: its recorder is still running or "
				"was killed; use 'fathom recover' to finish it\n",
				show->args->files[i].path);
	if (lost || unknown)
		quote_printf(show->action->messages,
			     "fathom report: %" PRIu64
			     " events were lost while recording%s; lines with "
			     "'EVENTS DROPPED' show where\n",
			     lost, unknown ? ", and an unknown number more" : "");
	print_unresolved(show);
	print_gaps(show);
	if (show->setup.run.backwards)
		quote_printf(show->action->messages,
			     "fathom report: time went backwards at %" PRIu64 " events\n",
			     show->setup.run.backwards);
	return code;
}

static int list_parts(struct show *show, struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < show->setup.n_inputs; i++)
		r = report_list(show->action, show->args, show->setup.inputs[i].trace,
				show->args->files[i].path, err);
	return r;
}

static int report_show_work(const struct action *action, struct report_args *args)
{
	_cleanup_(show_done) struct show show = { .action = action,
						  .args = args,
						  .setup = { .args = args },
						  .broker = BROKER_NONE,
						  .helper = LINE_HELPER_NONE };
	struct fathom_err err = { 0 };
	int r;

	/* If the reader of the output is gone, writing fails instead. */
	signal(SIGPIPE, SIG_IGN);
	report_setup_colors(args, action->out);
	r = open_inputs(&show, &err);
	if (r == 0)
		r = report_show_enter_sandbox(&show, &err);
	if (r >= 0)
		r = read_inputs(&show, &err);
	if (r == 0)
		r = read_kallsyms(&show, &err);
	if (r >= 0 && report_list_wanted(args)) {
		r = list_parts(&show, &err);
		return r < 0 ? action_failed(action, &err) : r;
	}
	if (r >= 0)
		r = report_setup_prepare(&show.setup, &err);
	if (r >= 0 && !args->test_filters)
		r = write_events(&show, &err);
	if (r < 0)
		return reading_failed(action, &err);
	reading_finish();
	return report_show_report_end(&show);
}

int report_show(const struct action *action, struct report_args *args)
{
	int code;

	reading_begin(action, args->quiet ? READING_QUIET : 0);
	reading_prints(action->out);
	code = report_show_work(action, args);
	reading_end();
	return code;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom io: show block device latency, with a heat map. */
#include "cli/kit/commands.h"

#include <stdlib.h>

#include "actions/analysis/analysis-input.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/report/report-options.h"
#include "read/context/followed.h"
#include "render/waits/io.h"

struct io_args {
	struct report_args report; /* must be first */
	unsigned order;
	unsigned long rows;
	bool no_map, ascii;
};

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	OPT_CHOICE('s', "sort", "BY", IO_ORDERS, struct io_args, order,
		   "sort order (default: total)"),
	OPT_NUMBER('n', "rows", "N", struct io_args, rows, "show only the first N rows"),
	OPT_FLAG(0, "no-map", struct io_args, no_map, "don't show the heat map"),
	OPT_FLAG(0, "ascii", struct io_args, ascii, "draw the heat map with ASCII characters"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

static void cmd_io_take(void *data, const struct decoded_event *decoded)
{
	io_feed(data, decoded);
}

static void io_free_p(struct io **io)
{
	if (*io)
		io_done(*io);
	free(*io);
}

static int cmd_io_work(const struct action *action, const char *path, struct fathom_err *err)
{
	struct io_args *args = action->args;
	_cleanup_(analysis_input_done) struct analysis_input input = { 0 };
	/* The heat map is too large for the stack. */
	_cleanup_(io_free_p) struct io *io = mem_zalloc(1, sizeof(*io));
	_cleanup_(followed_done) struct followed followed = { 0 };
	struct io_view view = { .order = (enum io_order)args->order,
				.rows = args->rows,
				.json = args->report.json,
				.csv = args->report.csv,
				.with_map = !args->no_map,
				.ascii = args->ascii };
	bool is_seen = false;
	int r = analysis_input_begin(&input, &args->report, path, err);

	if (r < 0)
		return r;
	if (!io)
		return err_nomem(err);
	if (followed_read(input.feed.trace, &followed) < 0)
		return err_nomem(err);
	io->is_part = followed_is_limited(&followed);
	input.feed.filtered = IO_FILTERED;
	input.feed.with_unwanted = true;
	feed_look_around(&input.feed);
	io->from = input.feed.window->from;
	io->to = input.feed.window->to;
	r = feed_run(&input.feed, cmd_io_take, io, err);
	if (r < 0)
		return r;
	if (io_finish(io, input.feed.to) < 0)
		return err_nomem(err);
	for (size_t i = 0; i < io->n; i++)
		is_seen |= io_row_is_seen(&io->list[i]);
	if (!input.feed.n_counted && !is_seen)
		return analysis_nothing(&input, "block requests", "'fathom record -e block'", err);
	view.raw_times = !report_in_nanoseconds(input.setup.inputs[0].report, 0);
	if (analysis_input_complete(&input, action->out, err) < 0)
		return -ENOMEM;
	action->out->completeness.hidden_interrupts = followed.hidden_ns > 0;
	if (io_print(io, &view, action->out) < 0)
		return err_nomem(err);
	analysis_report_hidden(&input, &followed, action);
	return analysis_input_report(&input, action);
}

static int cmd_io_run(const struct action *action)
{
	return analysis_run(action, cmd_io_work);
}

const struct command command_io = {
	.name = "io",
	.summary = "show block device latency, with a heat map",
	.description =
		"Summarizes the requests to block devices of a recording with the events of the "
		"'block' system, by device and operation: number, size, errors, latency and time in "
		"the queue. A heat map shows latency over time.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct io_args),
	.paged = true,
	.run = cmd_io_run,
};

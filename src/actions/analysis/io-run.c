/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/io-run.h"

#include <errno.h>
#include <stdlib.h>

#include "actions/analysis/analysis-input.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"

static void io_run_take(void *data, const struct decoded_event *decoded)
{
	io_feed(data, decoded);
}

static void io_free_p(struct io **io)
{
	if (*io)
		io_done(*io);
	free(*io);
}

static int io_run_read(struct analysis_input *input, struct io *io, struct fathom_err *err)
{
	bool is_seen = false;
	int r;

	io->is_part = followed_is_limited(&input->followed);
	input->feed.filtered = IO_FILTERED;
	input->feed.with_unwanted = true;
	feed_look_around(&input->feed);
	io->from = input->feed.window->from;
	io->to = input->feed.window->to;
	r = feed_run(&input->feed, io_run_take, io, err);
	if (r < 0)
		return r;
	if (io_finish(io, input->feed.to) < 0)
		return err_nomem(err);
	for (size_t i = 0; i < io->n; i++)
		is_seen |= io_row_is_seen(&io->list[i]);
	if (!input->feed.n_counted && !is_seen)
		return analysis_nothing(input, "block requests", "'fathom record -e block'", err);
	return 0;
}

static int io_run_work(const struct action *action, const char *path, struct fathom_err *err)
{
	struct io_args *args = action->args;
	_cleanup_(analysis_input_done) struct analysis_input input = { .of_interrupts = true };
	/* The heat map is too large for the stack. */
	_cleanup_(io_free_p) struct io *io = mem_zalloc(1, sizeof(*io));
	struct io_view view = { .order = (enum io_order)args->order,
				.rows = args->rows,
				.json = args->report.json,
				.csv = args->report.csv,
				.with_map = !args->no_map,
				.ascii = args->ascii };
	int r = analysis_input_begin(&input, &args->report, path, err);

	if (r < 0)
		return r;
	r = io ? io_run_read(&input, io, err) : err_nomem(err);
	if (r < 0)
		return r;
	analysis_input_complete(&input, action->out);
	view.raw_times = !report_in_nanoseconds(input.setup.inputs[0].report, 0);
	if (io_print(io, &view, action->out) < 0)
		return err_nomem(err);
	return analysis_input_report(&input, action);
}

int io_run(const struct action *action)
{
	return analysis_run(action, io_run_work);
}

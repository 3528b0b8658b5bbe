/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom irqs: show interrupt handler times and softirq latency. */
#include "cli/kit/commands.h"

#include "actions/analysis/analysis-input.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "cli/report/report-options.h"
#include "read/context/followed.h"
#include "render/waits/irqs.h"

struct irqs_args {
	struct report_args report; /* must be first */
	unsigned order;
	unsigned long rows;
	bool by_cpu;
};

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	OPT_FLAG('C', "cpus", struct irqs_args, by_cpu, "show a row per interrupt and CPU"),
	OPT_CHOICE('s', "sort", "BY", IRQS_ORDERS, struct irqs_args, order,
		   "sort order (default: total)"),
	OPT_NUMBER('n', "rows", "N", struct irqs_args, rows, "show only the first N rows"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	REPORT_OUTPUT_OPTIONS,
	OPT_END,
};

static void cmd_irqs_take(void *data, const struct decoded_event *decoded)
{
	irqs_feed(data, decoded);
}

static int cmd_irqs_work(const struct action *action, const char *path, struct fathom_err *err)
{
	struct irqs_args *args = action->args;
	_cleanup_(analysis_input_done) struct analysis_input input = { 0 };
	_cleanup_(irqs_done) struct irqs irqs = { .by_cpu = args->by_cpu };
	_cleanup_(followed_done) struct followed followed = { 0 };
	bool is_empty = true;
	struct irqs_view view = { .order = (enum irqs_order)args->order,
				  .rows = args->rows,
				  .json = args->report.json,
				  .csv = args->report.csv };
	int r = analysis_input_begin(&input, &args->report, path, err);

	if (r < 0)
		return r;
	input.feed.filtered = IRQS_FILTERED;
	input.feed.with_unwanted = true;
	input.feed.max_early = FEED_EARLY_USUAL;
	if (followed_read(input.feed.trace, &followed) < 0)
		return err_nomem(err);
	/* Softirqs that were raised or ran during other tasks were not recorded. */
	irqs.no_waits = followed_is_limited(&followed);
	irqs.is_filtered = input.feed.wanted;
	irqs.from = input.feed.window->from;
	r = feed_run(&input.feed, cmd_irqs_take, &irqs, err);
	if (r < 0)
		return r;
	if (irqs_finish(&irqs, input.feed.to) < 0)
		return err_nomem(err);
	for (size_t i = 0; i < irqs.n && is_empty; i++)
		is_empty = !irq_row_is_seen(&irqs.list[i]);
	if (is_empty)
		return analysis_nothing(&input, "interrupts", "'fathom record -e irq'", err);
	view.raw_times = !report_in_nanoseconds(input.setup.inputs[0].report, 0);
	if (analysis_input_complete(&input, action->out, err) < 0)
		return -ENOMEM;
	action->out->completeness.hidden_interrupts = followed.hidden_ns > 0;
	if (irqs_print(&irqs, &view, action->out) < 0)
		return err_nomem(err);
	analysis_report_hidden(&input, &followed, action);
	return analysis_input_report(&input, action);
}

static int cmd_irqs_run(const struct action *action)
{
	return analysis_run(action, cmd_irqs_work);
}

const struct command command_irqs = {
	.name = "irqs",
	.summary = "show interrupt handler times and softirq latency",
	.description =
		"Summarizes the interrupts of a recording with the events of the 'irq' system: how "
		"often and for how long each handler ran, and the latency of softirqs from being "
		"raised to running.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct irqs_args),
	.paged = true,
	.run = cmd_irqs_run,
};

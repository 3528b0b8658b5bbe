/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/irqs-run.h"

#include "actions/analysis/analysis-input.h"
#include "base/cleanup.h"
#include "base/err.h"

static void irqs_run_take(void *data, const struct decoded_event *decoded)
{
	irqs_feed(data, decoded);
}

static int irqs_run_read(struct analysis_input *input, struct irqs *irqs, struct fathom_err *err)
{
	bool is_empty = true;
	int r;

	input->feed.filtered = IRQS_FILTERED;
	input->feed.with_unwanted = true;
	input->feed.max_early = FEED_EARLY_USUAL;
	/* Softirqs that were raised or ran during other tasks were not recorded. */
	irqs->no_waits = followed_is_limited(&input->followed);
	irqs->is_filtered = input->feed.wanted;
	irqs->from = input->feed.window->from;
	r = feed_run(&input->feed, irqs_run_take, irqs, err);
	if (r < 0)
		return r;
	if (irqs_finish(irqs, input->feed.to) < 0)
		return err_nomem(err);
	for (size_t i = 0; i < irqs->n && is_empty; i++)
		is_empty = !irq_row_is_seen(&irqs->list[i]);
	if (is_empty)
		return analysis_nothing(input, "interrupts", "'fathom record -e irq'", err);
	return 0;
}

static int irqs_run_work(const struct action *action, const char *path, struct fathom_err *err)
{
	struct irqs_args *args = action->args;
	_cleanup_(analysis_input_done) struct analysis_input input = { .of_interrupts = true };
	_cleanup_(irqs_done) struct irqs irqs = { .by_cpu = args->by_cpu };
	struct irqs_view view = { .order = (enum irqs_order)args->order,
				  .rows = args->rows,
				  .json = args->report.json,
				  .csv = args->report.csv };
	int r = analysis_input_begin(&input, &args->report, path, err);

	if (r == 0)
		r = irqs_run_read(&input, &irqs, err);
	if (r < 0)
		return r;
	analysis_input_complete(&input, action->out);
	view.raw_times = !report_in_nanoseconds(input.setup.inputs[0].report, 0);
	if (irqs_print(&irqs, &view, action->out) < 0)
		return err_nomem(err);
	return analysis_input_report(&input, action);
}

int irqs_run(const struct action *action)
{
	return analysis_run(action, irqs_run_work);
}

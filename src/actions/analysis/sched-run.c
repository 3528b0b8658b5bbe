/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/sched-run.h"

#include "actions/analysis/states-input.h"
#include "base/cleanup.h"
#include "base/err.h"

static int sched_run_work(const struct action *action, const char *path, struct fathom_err *err)
{
	struct sched_args *args = action->args;
	_cleanup_(sched_done) struct sched sched = { 0 };
	_cleanup_(states_input_done) struct states_input input = { .take = sched_take,
								   .data = &sched };
	struct sched_view view = { .sched = &sched,
				   .states = &input.states,
				   .order = (enum sched_order)args->order,
				   .cpus = args->cpus,
				   .histograms = args->histograms };
	int r = states_input_read(&input, &args->report, path, err);

	if (r < 0)
		return r;
	states_input_complete(&input, action->out);
	if (sched.nomem || REPORT_PRINT(&args->report, sched, &view, action->out) < 0)
		return err_nomem(err);
	return analysis_input_report(&input.input, action);
}

int sched_run(const struct action *action)
{
	return analysis_run(action, sched_run_work);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/analysis/offcpu-run.h"

#include "actions/analysis/states-input.h"
#include "base/cleanup.h"
#include "base/err.h"

#define CHAINS 10 /* shown by default */

static int offcpu_run_work(const struct action *action, const char *path, struct fathom_err *err)
{
	struct offcpu_args *args = action->args;
	_cleanup_(waits_done) struct waits waits = { .max_chains = args->max_chains ?
									   args->max_chains :
								   args->chains ? CHAINS :
										  0 };
	_cleanup_(states_input_done) struct states_input input = { .take = waits_take,
								   .data = &waits };
	struct offcpu_view view = { .waits = &waits,
				    .states = &input.states,
				    .order = (enum wait_order)args->order,
				    .depth = args->depth ? args->depth : OFFCPU_DEPTH_MAX };
	int r = states_input_read(&input, &args->report, path, err);

	if (r < 0)
		return r;
	states_input_complete(&input, action->out);
	if (waits.nomem || REPORT_PRINT(&args->report, offcpu, &view, action->out) < 0)
		return err_nomem(err);
	return analysis_input_report(&input.input, action);
}

int offcpu_run(const struct action *action)
{
	return analysis_run(action, offcpu_run_work);
}

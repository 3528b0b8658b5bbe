/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/plan/plan-ask.h"

#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "base/quote.h"
#include "record/plan.h"
#include "record/price/overhead.h"

#define COST_FORMAT                                                                              \
	"tracing this on the whole machine takes about %.0f %% of all CPUs at the current load " \
	"(%.0f events per second, estimated at %.0f ns each)"

bool plan_may_ask(const struct plan_args *args)
{
	return !args->yes && !args->filter_command && plan_may_look(&args->plan);
}

double plan_ask_scale(const struct plan_args *args)
{
	return plan_may_ask(args) ? event_price_scale() : 0;
}

static int plan_ask_ask(const struct action *action, const struct overhead_cost *cost, int signals,
			struct fathom_err *err)
{
	quote_printf(action->messages, "fathom %s: " COST_FORMAT "\nContinue? [y/N] ", action->name,
		     overhead_share(cost) * 100, cost->per_second, cost->event_ns);
	fflush(action->messages);
	return action->ask(signals) ? 0 : err_set(err, -ECANCELED, "not started");
}

int plan_ask(const struct action *action, struct plan *plan, struct session *session, double scale,
	     int signals, struct fathom_err *err)
{
	struct overhead_cost cost;
	int r = scale > 0 ? plan_look(plan, scale, &cost, err) : 0;

	if (r <= 0 || overhead_share(&cost) <= OVERHEAD_ASK)
		return r < 0 ? r : 0;
	if (!action->ask)
		return err_set(err, -E2BIG,
			       COST_FORMAT "; select functions with -l or processes with -F or "
					   "-P, or use --yes to start anyway",
			       overhead_share(&cost) * 100, cost.per_second, cost.event_ns);
	r = plan_pause_tracers(plan, session, err);
	if (r == 0)
		r = plan_ask_ask(action, &cost, signals, err);
	return r < 0 ? r : plan_start_tracers(plan, session, err);
}

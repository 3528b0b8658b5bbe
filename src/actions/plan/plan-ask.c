/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/plan/plan-ask.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/err.h"
#include "base/quote.h"
#include "record/plan/event-price.h"
#include "record/price/overhead.h"

#define COST_FORMAT                                                                            \
	"tracing this on the whole machine costs about %.0f %% of all CPUs, by what runs now " \
	"(%.0f events per second, at an estimated %.0f ns each)"

bool plan_may_ask(const struct plan_args *args)
{
	return !args->yes && !args->filter_command && plan_may_look(&args->plan);
}

double plan_ask_scale(const struct plan_args *args)
{
	return plan_may_ask(args) ? event_price_scale() : 0;
}

/* Has a signal come that ends programs? */
static bool is_interrupted(int signals)
{
	struct signalfd_siginfo info;
	bool yes = false;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		yes |= info.ssi_signo != SIGCHLD;
	return yes;
}

bool plan_ask_yes(int signals)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				{ .fd = signals, .events = POLLIN } };
	char answer[64];
	ssize_t n;

	do {
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			return false;
		if (fds[1].revents && is_interrupted(signals))
			return false;
	} while (!fds[0].revents);
	n = read(STDIN_FILENO, answer, sizeof(answer));
	return n > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

static int plan_ask_ask(const struct action *action, const struct overhead_cost *cost, int signals,
			struct fathom_err *err)
{
	quote_printf(action->messages, "fathom %s: " COST_FORMAT "\nGo on? [y/N] ", action->name,
		     overhead_share(cost) * 100, cost->per_second, cost->event_ns);
	fflush(action->messages);
	return plan_ask_yes(signals) ? 0 : err_set(err, -ECANCELED, "not started");
}

int plan_ask(const struct action *action, struct plan *plan, struct session *session, double scale,
	     int signals, struct fathom_err *err)
{
	struct overhead_cost cost;
	int r = scale > 0 ? plan_look(plan, scale, &cost, err) : 0;

	if (r <= 0 || overhead_share(&cost) <= OVERHEAD_ASK)
		return r < 0 ? r : 0;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return err_set(err, -E2BIG,
			       COST_FORMAT "; choose functions with -l, or processes with -F or "
					   "-P; --yes starts it all the same",
			       overhead_share(&cost) * 100, cost.per_second, cost.event_ns);
	r = plan_pause_tracers(plan, session, err);
	if (r == 0)
		r = plan_ask_ask(action, &cost, signals, err);
	return r < 0 ? r : plan_start_tracers(plan, session, err);
}

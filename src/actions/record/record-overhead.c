/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/record/record-overhead.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/quote.h"
#include "base/str.h"
#include "record/plan.h"

void record_overhead_init(struct record_overhead *overhead, const struct action *action,
			  const struct record_args *args, bool has_command)
{
	bool whole = !args->plan.plan.n_pids && !args->plan.filter_command;
	bool ends = has_command || args->for_ns || args->max_bytes;

	overhead->plan = &args->plan.plan;
	overhead->is_default = !args->has_max_overhead;
	overhead->overhead.limit = args->has_max_overhead ?
					   args->max_overhead :
					   overhead_default(whole, ends, action->is_attended);
}

/* CPU time of this process, with its threads, and of its helpers. */
static uint64_t own_time(const struct record_overhead *overhead)
{
	uint64_t ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (size_t i = 0; i < RECORD_OVERHEAD_PIDS; i++) {
		clockid_t clock;

		if (overhead->pids[i] > 0 && clock_getcpuclockid(overhead->pids[i], &clock) == 0)
			ns += clock_ns(clock);
	}
	return ns;
}

/* 0 for buffers other than the kernel's. */
static double record_overhead_price_of(const struct record_overhead *overhead, const char *buffer)
{
	const struct plan *plan = overhead->plan;

	for (size_t i = 0; i < plan->n; i++)
		if (str_eq(plan->buffers[i].name, buffer))
			return event_price_ns(plan, &plan->buffers[i]) * overhead->scale;
	return 0;
}

static struct overhead_sums record_overhead_sum_up(const struct record_overhead *overhead,
						   const struct recorder_totals *totals)
{
	struct overhead_sums sums = { .time_ns = clock_ns(CLOCK_MONOTONIC),
				      .own_ns = own_time(overhead) };
	const char *buffer = NULL;
	double price = 0;

	for (size_t i = 0; i < totals->n_cpus; i++) {
		const struct recorder_cpu *cpu = &totals->cpus[i];

		/* The CPUs of a buffer are adjacent. */
		if (!buffer || !str_eq(buffer, cpu->buffer))
			price = record_overhead_price_of(overhead, cpu->buffer);
		buffer = cpu->buffer;
		sums.events += cpu->made;
		sums.events_ns += (double)cpu->made * price;
	}
	return sums;
}

static unsigned online_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned)n : 1;
}

void record_overhead_begin(struct record_overhead *overhead, const struct recorder_totals *totals)
{
	overhead->overhead.last = record_overhead_sum_up(overhead, totals);
}

bool record_overhead_look(struct record_overhead *overhead, const struct recorder_totals *totals)
{
	struct overhead_sums now = record_overhead_sum_up(overhead, totals);

	overhead->ended = overhead_look(&overhead->overhead, &now, online_cpus());
	return overhead->ended;
}

void record_overhead_note(const struct record_overhead *overhead, struct strbuf *info)
{
	if (overhead->ended)
		quote_addf(
			info,
			"ended: by its overhead, about %.3g %% of the CPUs (the limit is %.3g %%)\n",
			overhead_share(&overhead->overhead.cost) * 100,
			overhead->overhead.limit * 100);
}

void record_overhead_report(const struct record_overhead *overhead, const struct action *action)
{
	const struct overhead_cost *cost = &overhead->overhead.cost;

	if (!overhead->ended)
		return;
	quote_printf(action->messages,
		     "fathom %s: tracing ended early: overhead about %.3g %% of all CPUs, limit "
		     "%.3g %% (%s); trace fewer functions (-l) or events, filter them (-f), trace "
		     "one process (-P), or set another limit with --max-overhead\n",
		     action->name, overhead_share(cost) * 100, overhead->overhead.limit * 100,
		     overhead->is_default ? "default for unattended recordings" : "--max-overhead");
	quote_printf(action->messages,
		     "  %.3g %% for %.0f events per second, estimated at %.0f ns each "
		     "(docs/cost.md, scaled to this machine); %.3g %% measured for the recorder\n",
		     cost->events * 100, cost->per_second, cost->event_ns, cost->own * 100);
}

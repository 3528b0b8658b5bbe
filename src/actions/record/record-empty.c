/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/record/record-empty.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "base/str.h"

/* Tracers that record only under certain conditions. */
static const struct {
	const char *tracer, *needs;
} needy[] = {
	{ "blk", "records only block devices whose 'trace/enable' in /sys/block is 1" },
	{ "hwlat", "records only latencies above 'tracing_thresh'" },
	{ "osnoise", "records once per period, by default one second" },
	{ "mmiotrace", "records only drivers that map device memory while tracing" },
	{ "wakeup", "records only the longest latency, when it ends" },
	{ "wakeup_rt", "records only the longest latency of real-time tasks, when it ends" },
	{ "wakeup_dl", "records only the longest latency of deadline tasks, when it ends" },
	{ "irqsoff", "records only the longest latency, when it ends" },
	{ "preemptoff", "records only the longest latency, when it ends" },
	{ "preemptirqsoff", "records only the longest latency, when it ends" },
};

/* The kind of data that a buffer was to record. */
struct asked {
	bool events, filters, functions, chosen_functions;
};

static void record_empty_look_at(const struct plan_buffer *buffer, struct asked *asked)
{
	asked->events |= buffer->n_events > 0;
	for (size_t i = 0; i < buffer->n_events; i++)
		asked->filters |= buffer->events[i].filter != NULL;
	if (!buffer->tracer || !str_after(buffer->tracer, "function"))
		return;
	asked->functions = true;
	asked->chosen_functions |= buffer->functions.n || buffer->graph_functions.n ||
				   buffer->module;
}

static void explain_tracer(const struct plan_buffer *buffer, FILE *messages)
{
	for (size_t i = 0; buffer->tracer && i < ARRAY_SIZE(needy); i++)
		if (str_eq(buffer->tracer, needy[i].tracer))
			quote_printf(messages, "  tracer '%s': %s\n", buffer->tracer,
				     needy[i].needs);
}

static void explain_pids(const struct plan *plan, FILE *messages)
{
	size_t n = 0;
	pid_t last = 0;

	for (size_t i = 0; i < plan->n_pids; i++)
		if (kill(plan->pids[i], 0) < 0 && errno == ESRCH) {
			last = plan->pids[i];
			n++;
		}
	if (n == 1)
		quote_printf(messages, "  process %d has exited\n", (int)last);
	else if (n)
		quote_printf(messages, "  %zu of %zu processes have exited\n", n, plan->n_pids);
}

/* Reports which processes were recorded. */
static const char *record_empty_where(const struct plan_args *args, bool has_command)
{
	if (args->filter_command && has_command)
		return " in the command";
	return args->plan.n_pids ? " in the traced processes" : "";
}

void record_empty_report(const struct plan_args *args, bool has_command, FILE *messages)
{
	const struct plan *plan = &args->plan;
	const char *place = record_empty_where(args, has_command);
	struct asked asked = { 0 };

	if (!has_command)
		explain_pids(plan, messages);
	for (size_t i = 0; i < plan->n; i++) {
		record_empty_look_at(&plan->buffers[i], &asked);
		explain_tracer(&plan->buffers[i], messages);
	}
	if (asked.events)
		quote_printf(messages, "  none of the events occurred%s%s\n", place,
			     asked.filters ? ", or none matched the filter" : "");
	if (asked.functions)
		quote_printf(messages, "  %s was called%s\n",
			     asked.chosen_functions ? "none of the selected functions" :
						      "no function",
			     place);
}

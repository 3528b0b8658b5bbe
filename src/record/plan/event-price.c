/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/plan.h"

#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "record/price/syscall-time.h"
#include "symbols/probe/probe.h"

#define MEASURE_NS 60000000 /* plus the duration of the last measurement */

double event_price_scale_of(double syscall_ns)
{
	return syscall_ns / probe_cost_ns(PROBE_COST_SYSCALL);
}

double event_price_syscall_ns(void)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	double least = syscall_time_measure(SYSCALL_LEAST).ns;

	while (clock_ns(CLOCK_MONOTONIC) - begin < MEASURE_NS) {
		double ns = syscall_time_measure(SYSCALL_LEAST).ns;

		if (ns < least)
			least = ns;
	}
	return least;
}

double event_price_scale(void)
{
	return event_price_scale_of(syscall_time_measure(SYSCALL_LEAST).ns);
}

static double tracer_price(const char *tracer)
{
	if (!tracer || str_eq(tracer, "nop"))
		return 0;
	if (str_eq(tracer, "function_graph"))
		return probe_cost_ns(PROBE_COST_GRAPH_CALL) / 2.0;
	return probe_cost_ns(PROBE_COST_FUNCTION);
}

static enum probe_cost_kind event_price_kind_of(const struct plan_event *event)
{
	if (!event->expression)
		return event->probe ? PROBE_COST_KPROBE : PROBE_COST_EVENT;
	switch (probe_kind(event->expression)) {
	case PROBE_RETURN:
		return PROBE_COST_KRETPROBE;
	case PROBE_FPROBE:
		return PROBE_COST_FPROBE;
	case PROBE_FPROBE_RETURN:
		return PROBE_COST_FPROBE_RETURN;
	case PROBE_USER:
	case PROBE_MARKER:
		return PROBE_COST_UPROBE;
	case PROBE_USER_RETURN:
		return PROBE_COST_URETPROBE;
	case PROBE_TRACEPOINT:
		return PROBE_COST_EVENT;
	default:
		return PROBE_COST_KPROBE;
	}
}

void event_price_kinds(const struct plan *plan, bool ret_kinds[PROBE_COST_KINDS])
{
	for (unsigned i = 0; i < PROBE_COST_KINDS; i++)
		ret_kinds[i] = false;
	for (size_t i = 0; i < plan->n; i++) {
		const struct plan_buffer *buffer = &plan->buffers[i];

		if (plan_traces_functions(buffer))
			ret_kinds[str_eq(buffer->tracer, "function") ? PROBE_COST_FUNCTION :
								       PROBE_COST_GRAPH_CALL] =
				true;
		for (size_t k = 0; k < buffer->n_events; k++)
			if (!buffer->events[k].off)
				ret_kinds[event_price_kind_of(&buffer->events[k])] = true;
	}
	if (plan->all_user_functions || plan->user_functions.n)
		ret_kinds[PROBE_COST_UPROBE] = ret_kinds[PROBE_COST_URETPROBE] = true;
	if (plan->watches.n)
		ret_kinds[PROBE_COST_WATCHPOINT] = true;
}

double event_price_ns(const struct plan *plan, const struct plan_buffer *buffer)
{
	double most = tracer_price(buffer->tracer);

	for (size_t i = 0; i < buffer->n_events; i++) {
		double ns = buffer->events[i].off ?
				    0 :
				    probe_cost_ns(event_price_kind_of(&buffer->events[i]));

		if (ns > most)
			most = ns;
	}
	/* User functions are recorded in the main buffer. */
	if (buffer == &plan->buffers[0] && (plan->all_user_functions || plan->user_functions.n) &&
	    probe_cost_ns(PROBE_COST_URETPROBE) > most)
		most = probe_cost_ns(PROBE_COST_URETPROBE);
	return most;
}

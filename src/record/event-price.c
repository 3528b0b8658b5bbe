/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/event-price.h"

#include "base/str.h"
#include "record/probe-cost.h"
#include "record/syscall-time.h"

double event_price_scale_of(double syscall_ns)
{
	return syscall_ns / probe_cost_ns(PROBE_COST_SYSCALL);
}

double event_price_scale(void)
{
	return event_price_scale_of(syscall_time_measure().ns);
}

static double tracer_price(const char *tracer)
{
	if (!tracer || str_eq(tracer, "nop"))
		return 0;
	if (str_eq(tracer, "function_graph"))
		return probe_cost_ns(PROBE_COST_GRAPH_CALL) / 2.0;
	return probe_cost_ns(PROBE_COST_FUNCTION);
}

static double plan_event_price(const struct plan_event *event)
{
	if (!event->expression)
		return probe_cost_ns(event->probe ? PROBE_COST_KPROBE : PROBE_COST_EVENT);
	switch (probe_kind(event->expression)) {
	case PROBE_RETURN:
	case PROBE_FPROBE_RETURN:
		return probe_cost_ns(PROBE_COST_KRETPROBE);
	case PROBE_USER:
	case PROBE_MARKER:
		return probe_cost_ns(PROBE_COST_UPROBE);
	case PROBE_USER_RETURN:
		return probe_cost_ns(PROBE_COST_URETPROBE);
	case PROBE_TRACEPOINT:
		return probe_cost_ns(PROBE_COST_EVENT);
	default:
		return probe_cost_ns(PROBE_COST_KPROBE);
	}
}

double event_price_ns(const struct plan *plan, const struct plan_buffer *buffer)
{
	double most = tracer_price(buffer->tracer);

	for (size_t i = 0; i < buffer->n_events; i++) {
		double ns = buffer->events[i].off ? 0 : plan_event_price(&buffer->events[i]);

		if (ns > most)
			most = ns;
	}
	/* The functions of programs are in the main one. */
	if (buffer == &plan->buffers[0] && (plan->all_user_functions || plan->user_functions.n) &&
	    probe_cost_ns(PROBE_COST_URETPROBE) > most)
		most = probe_cost_ns(PROBE_COST_URETPROBE);
	return most;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/record-price.h"

#include "base/quote.h"
#include "base/str.h"
#include "read/prices.h"

#define NOISE_MAX 1.5

/*
 * Where the CPU is taken away so often that it shows, it is from the command as well, and from what tracing adds to it: a
 * price is not what an event costs there.
 */
static bool is_quiet(const struct syscall_time *time)
{
	return time->mean_ns <= time->ns * NOISE_MAX;
}

/* All that costs time has a price: events of the kernel and its functions, in one ring. */
static bool is_simple(const struct plan *plan)
{
	const struct plan_buffer *buffer = &plan->buffers[0];

	if (plan->n != 1 || plan->all_user_functions || plan->user_functions.n ||
	    buffer->options.n || buffer->returns.n || buffer->args.n || buffer->errors.n)
		return false;
	/* A trigger would do what it does once. */
	for (size_t i = 0; i < buffer->n_events; i++)
		if (buffer->events[i].triggers.n)
			return false;
	return !buffer->tracer || str_eq(buffer->tracer, "nop") ||
	       str_eq(buffer->tracer, "function_graph");
}

void record_price_bare(struct record_price *price, struct child *child, const struct plan *plan)
{
	price->wanted = price->wanted && child->pid && is_simple(plan) &&
			child_measure(child, &price->bare, NULL) == 0 && is_quiet(&price->bare);
}

struct trial {
	struct child *child;
	struct syscall_time *time;
};

static int measure(void *data)
{
	struct trial *trial = data;

	return child_measure(trial->child, trial->time, NULL);
}

/* Measures what is set now; how many events a system call makes. */
static bool try(struct child *child, const struct plan *plan, struct syscall_time *ret_time,
		double *ret_events)
{
	struct trial trial = { child, ret_time };
	uint64_t events;

	/* There is room for the count of one buffer. */
	if (plan->n != 1 || plan_try(plan, measure, &trial, &events, NULL) < 0 ||
	    !ret_time->calls || !is_quiet(ret_time))
		return false;
	*ret_events = (double)events / (double)ret_time->calls;
	return true;
}

void record_price_events(struct record_price *price, struct child *child, const struct plan *plan)
{
	if (price->wanted)
		price->wanted = try(child, plan, &price->traced, &price->events);
}

void record_price_calls(struct record_price *price, struct child *child, const struct plan *plan)
{
	if (price->wanted && plan_traces_functions(&plan->buffers[0]))
		price->wanted = try(child, plan, &price->called, &price->all);
}

/* The price of each of @n; false: it cannot be. */
static bool divide(double more_ns, double n, double *ret_ns)
{
	*ret_ns = n > 0 ? more_ns / n : 0;
	return *ret_ns > 0;
}

void record_price_note(const struct record_price *price, const struct plan *plan,
		       struct strbuf *info)
{
	double event, call = 0;

	if (!price->wanted || !divide(price->traced.ns - price->bare.ns, price->events, &event) ||
	    (plan_traces_functions(&plan->buffers[0]) &&
	     !divide(price->called.ns - price->traced.ns, (price->all - price->events) / 2, &call)))
		return;
	quote_addf(info, PRICES_KEY ": " PRICES_FORMAT "\n", event, call);
}

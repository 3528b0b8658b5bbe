/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/record/record-price.h"

#include "base/quote.h"
#include "base/str.h"
#include "read/context/prices.h"
#include "record/price/syscall-stamps.h"
#include "record/session/session.h"

#define NOISE_MAX 1.5
#define DRIFT_MAX 1.1
#define TRIES	  3

/*
 * If a fixed computation takes noticeably longer, other tasks are taking CPU time from the command
 * and from tracing, so the price is not the cost of an event. A price is also a difference of two
 * times, which must be measured at the same speed.
 */
static bool record_price_is_sound(const struct record_price *price, const struct syscall_time *time)
{
	double first = price->bare.work_ns;

	return time->mean_ns <= time->ns * NOISE_MAX && time->work_ns <= first * DRIFT_MAX &&
	       first <= time->work_ns * DRIFT_MAX;
}

static bool measure_bare(struct record_price *price, struct child *child)
{
	return child_measure(child, SYSCALL_LEAST, &price->bare, NULL) == 0 &&
	       record_price_is_sound(price, &price->bare);
}

static bool measure_sound(const struct record_price *price, struct child *child,
			  enum syscall_kind kind, struct syscall_time *ret_time)
{
	for (unsigned i = 0; i < TRIES; i++) {
		if (child_measure(child, kind, ret_time, NULL) < 0)
			return false;
		if (record_price_is_sound(price, ret_time))
			return true;
	}
	return false;
}

/* Only recordings of kernel events and functions in a single ring buffer have a price. */
static bool record_price_is_simple(const struct plan *plan)
{
	const struct plan_buffer *buffer = &plan->buffers[0];

	if (plan->n != 1 || plan->all_user_functions || plan->user_functions.n || buffer->clock ||
	    buffer->options.n || buffer->returns.n || buffer->args.n || buffer->errors.n)
		return false;
	/* A trigger would fire during the measurement. */
	for (size_t i = 0; i < buffer->n_events; i++)
		if (buffer->events[i].triggers.n)
			return false;
	return !buffer->tracer || str_eq(buffer->tracer, "nop") ||
	       str_eq(buffer->tracer, "function_graph");
}

/*
 * Time that the kernel spends in system calls, without entering and leaving the kernel. All are
 * medians.
 */
static bool measure_untraced(struct record_price *price, struct child *child)
{
	struct syscall_time times[SYSCALL_KINDS] = { [SYSCALL_LEAST] = price->bare };

	for (enum syscall_kind i = 0; i < SYSCALL_KINDS; i++) {
		if (i != SYSCALL_LEAST && !measure_sound(price, child, i, &times[i]))
			return false;
		price->untraced[i] = times[i].ns;
	}
	for (enum syscall_kind i = 0; i < SYSCALL_KINDS; i++)
		price->untraced[i] -= times[SYSCALL_NONE].ns;
	return true;
}

void record_price_bare(struct record_price *price, struct child *child, const struct plan *plan)
{
	price->wanted = price->wanted && child->pid && record_price_is_simple(plan) &&
			measure_bare(price, child);
	price->knows_calls = price->wanted && !plan_traces_functions(&plan->buffers[0]) &&
			     measure_untraced(price, child);
}

struct trial {
	const struct record_price *price;
	struct child *child;
	enum syscall_kind kind;
	struct syscall_time *time;
	int place; /* of the ring buffers */
	double *stamped; /* NULL: not wanted; stays 0 on failure */
};

static int record_price_measure(void *data)
{
	struct trial *trial = data;
	const char *name = trial->kind == SYSCALL_LEAST ? "getppid" : "faccessat";
	int r = child_measure(trial->child, trial->kind, trial->time, NULL);

	if (r == 0 && trial->stamped)
		(void)syscall_stamps_take(trial->place, name, trial->stamped);
	return r;
}

/* Measures with the current settings; also returns how many events a system call causes. */
static bool record_price_try(struct trial *trial, const struct plan *plan, double *ret_events)
{
	const struct syscall_time *time = trial->time;

	trial->place = plan->buffers[0].place->fd;
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t events;

		/* One buffer fits. */
		if (plan->n != 1 ||
		    plan_try(plan, record_price_measure, trial, &events, NULL) < 0 || !time->calls)
			return false;
		*ret_events = (double)events / (double)time->calls;
		if (record_price_is_sound(trial->price, time))
			return true;
	}
	return false;
}

/* Paths are recorded by probes, which cost more than other events. */
static bool try_paths(struct record_price *price, struct child *child, const struct plan *plan)
{
	for (enum syscall_kind i = SYSCALL_PATH; i <= SYSCALL_LONG_PATH; i++) {
		struct syscall_time time;
		struct trial trial = { price, child, i, &time, .stamped = &price->stamped[i] };
		double events;

		if (!record_price_try(&trial, plan, &events) || price->stamped[i] <= 0)
			return false;
	}
	return price->stamped[SYSCALL_LEAST] > 0;
}

void record_price_events(struct record_price *price, struct child *child, const struct plan *plan)
{
	struct trial trial = { price, child, SYSCALL_LEAST, &price->traced };

	if (price->knows_calls)
		trial.stamped = &price->stamped[SYSCALL_LEAST];
	if (price->wanted)
		price->wanted = record_price_try(&trial, plan, &price->events);
	price->knows_calls = price->knows_calls && price->wanted && try_paths(price, child, plan);
}

void record_price_calls(struct record_price *price, struct child *child, const struct plan *plan)
{
	struct trial trial = { price, child, SYSCALL_LEAST, &price->called };

	if (price->wanted && plan_traces_functions(&plan->buffers[0]))
		price->wanted = record_price_try(&trial, plan, &price->all);
}

void record_price_end(struct record_price *price)
{
	struct syscall_time time;

	if (!price->wanted)
		return;
	time = syscall_time_measure(SYSCALL_NONE);
	price->wanted = record_price_is_sound(price, &time);
}

/* Computes the @n prices; returns false if that is impossible. */
static bool record_price_divide(double more_ns, double n, double *ret_ns)
{
	*ret_ns = n > 0 ? more_ns / n : 0;
	return *ret_ns > 0;
}

/* Returns what tracing adds between the two events of a system call. */
static double record_price_added(const struct record_price *price, enum syscall_kind kind)
{
	return price->stamped[kind] - price->untraced[kind];
}

static void note_calls(const struct record_price *price, struct strbuf *info)
{
	double own = record_price_added(price, SYSCALL_LEAST);
	double path = record_price_added(price, SYSCALL_PATH) - own;
	double byte = (record_price_added(price, SYSCALL_LONG_PATH) - own - path) /
		      (SYSCALL_LONG_PATH_BYTES - 1);

	if (own <= 0 || path < byte || byte < 0)
		return;
	quote_addf(info, PRICES_FORMAT_CALLS, own, path - byte, byte);
}

void record_price_note(const struct record_price *price, const struct plan *plan,
		       struct strbuf *info)
{
	double event, call = 0;

	if (!price->wanted ||
	    !record_price_divide(price->traced.ns - price->bare.ns, price->events, &event) ||
	    (plan_traces_functions(&plan->buffers[0]) &&
	     !record_price_divide(price->called.ns - price->traced.ns,
				  (price->all - price->events) / 2, &call)))
		return;
	quote_addf(info, PRICES_KEY ": " PRICES_FORMAT, event, call);
	if (price->knows_calls)
		note_calls(price, info);
	strbuf_addc(info, '\n');
}

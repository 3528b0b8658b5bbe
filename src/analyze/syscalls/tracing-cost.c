/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscalls/tracing-cost.h"

#include <stdlib.h>

#include "base/mem.h"

#define CPUS_MAX 65536
#define SURE	 0.97 /* accuracy of a cost */

static bool reserve_cpu(struct tracing_cost *cost, uint32_t cpu)
{
	if (cpu >= CPUS_MAX)
		return false;
	if (cpu < cost->n_cpus)
		return true;
	if (mem_reserve(&cost->cpus, &cost->cap_cpus, cpu + 1, sizeof(*cost->cpus)) < 0) {
		cost->nomem = true;
		return false;
	}
	while (cost->n_cpus <= cpu)
		cost->cpus[cost->n_cpus++] = 0;
	return true;
}

/* There is no known cost for samples and user functions. */
static bool has_no_price(const struct decoded_event *decoded)
{
	switch (decoded->kind) {
	case DECODED_SAMPLE:
	case DECODED_USER_STACK:
		return true;
	case DECODED_CALL:
	case DECODED_RETURN:
		return decoded->call.is_user;
	default:
		return false;
	}
}

static double tracing_cost_price_of(const struct tracing_cost *cost, enum decoded_kind kind)
{
	switch (kind) {
	case DECODED_CALL:
	case DECODED_RETURN:
		return cost->prices.call_ns / 2;
	default:
		return cost->prices.event_ns;
	}
}

static void set_task(struct tracing_cost *cost, uint32_t cpu, int32_t pid)
{
	cost->n_busy += pid != 0;
	cost->n_busy -= cost->cpus[cpu] != 0;
	cost->cpus[cpu] = pid;
}

/* A task that is active on one CPU does not run on another one. */
static void note_task(struct tracing_cost *cost, uint32_t cpu, int32_t pid)
{
	if (cost->cpus[cpu] == pid)
		return;
	for (uint32_t i = 0; i < cost->n_cpus && pid; i++)
		if (cost->cpus[i] == pid)
			set_task(cost, i, 0);
	set_task(cost, cpu, pid);
}

/* Wakeup events may be recorded because of the other task. */
static bool is_of_waker(const struct decoded_event *decoded)
{
	return decoded->kind == DECODED_WAKING || decoded->kind == DECODED_WAKEUP ||
	       decoded->kind == DECODED_WAKEUP_NEW;
}

void tracing_cost_feed(struct tracing_cost *cost, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;

	if (!cost->known || !reserve_cpu(cost, event->cpu))
		return;
	if (has_no_price(decoded) || event->missed) {
		cost->known = false;
		return;
	}
	if (is_of_waker(decoded) && cost->cpus[event->cpu] != event->pid)
		return;
	/* The next task may not be recorded: its own events will show. */
	note_task(cost, event->cpu, decoded->kind == DECODED_SWITCH ? 0 : event->pid);
	if (cost->n_busy <= 1)
		cost->ns += tracing_cost_price_of(cost, decoded->kind);
}

uint64_t tracing_cost_least(const struct tracing_cost *cost)
{
	return cost->known && !cost->nomem ? (uint64_t)(cost->ns * SURE) : 0;
}

void tracing_cost_done(struct tracing_cost *cost)
{
	free(cost->cpus);
	*cost = (struct tracing_cost){ 0 };
}

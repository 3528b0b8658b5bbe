/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscalls/tracing-cost.h"

#include <stdlib.h>

#include "base/mem.h"

#define CPUS_MAX 65536
#define SURE	 0.97 /* of a price: so exact is the measurement */

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

/* Samples and functions of programs have none. */
static bool has_no_price(const struct happening *happening)
{
	switch (happening->kind) {
	case HAPPENING_SAMPLE:
	case HAPPENING_USER_STACK:
		return true;
	case HAPPENING_CALL:
	case HAPPENING_RETURN:
		return happening->call.is_user;
	default:
		return false;
	}
}

static double tracing_cost_price_of(const struct tracing_cost *cost, enum happening_kind kind)
{
	switch (kind) {
	case HAPPENING_CALL:
	case HAPPENING_RETURN:
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

/* A task does something on a CPU, and so nowhere else. */
static void note_task(struct tracing_cost *cost, uint32_t cpu, int32_t pid)
{
	if (cost->cpus[cpu] == pid)
		return;
	for (uint32_t i = 0; i < cost->n_cpus && pid; i++)
		if (cost->cpus[i] == pid)
			set_task(cost, i, 0);
	set_task(cost, cpu, pid);
}

/* By anybody about a recorded task, or by that. */
static bool is_of_waker(const struct happening *happening)
{
	return happening->kind == HAPPENING_WAKING || happening->kind == HAPPENING_WAKEUP ||
	       happening->kind == HAPPENING_WAKEUP_NEW;
}

void tracing_cost_feed(struct tracing_cost *cost, const struct happening *happening)
{
	const struct fathom_event *event = happening->event;

	if (!cost->known || !reserve_cpu(cost, event->cpu))
		return;
	if (has_no_price(happening) || event->missed) {
		cost->known = false;
		return;
	}
	if (is_of_waker(happening) && cost->cpus[event->cpu] != event->pid)
		return;
	/* Who comes on need not be recorded: what it does will tell. */
	note_task(cost, event->cpu, happening->kind == HAPPENING_SWITCH ? 0 : event->pid);
	if (cost->n_busy <= 1)
		cost->ns += tracing_cost_price_of(cost, happening->kind);
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

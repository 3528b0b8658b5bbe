/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What stands behind wake-ups that come from interrupts: a timer, a request of a block device,
 * another device; and which handler runs on a CPU.
 *
 * A wake-up belongs to a block request when its completion was told on the same CPU and the
 * handler that did that has not ended since. Memory is that of the CPUs, of the requests that are
 * under way, and of the names of interrupts.
 */
#ifndef FATHOM_ANALYZE_WAITS_WAKE_SOURCE_H
#define FATHOM_ANALYZE_WAITS_WAKE_SOURCE_H

#include "analyze/devices/io.h"
#include "analyze/devices/irqs.h"
#include "analyze/tasks/task-states.h"

enum source_kind {
	SOURCE_NONE, /* not known */
	SOURCE_TIMER,
	SOURCE_BLOCK, /* a block device */
	SOURCE_IRQ, /* a device, by its interrupt */
	SOURCE_VECTOR, /* the CPU itself, or another one */
	SOURCE_SOFTIRQ,
};

struct wake_source {
	enum source_kind kind;
	uint32_t number; /* of the interrupt, vector, softirq; the device; WAKER_NO_NUMBER: not known */
	char operation; /* BLOCK, of struct decoded_event */
	uint64_t served; /* when the handler began, or the device was done */
	uint64_t issued; /* BLOCK: when the device got it */
	uint32_t issuer; /* BLOCK: the task that gave it; TASK_NONE: not known */
};

/* Zero-initialised is empty. */
struct wake_sources {
	struct irqs irqs; /* for the names */
	struct io io; /* for what is under way */
	struct wake_source_cpu *cpus;
	size_t n_cpus, cap_cpus;
	bool nomem; /* something is missing */
};

/* The handler that runs on the CPU, innermost; its kind is NONE when none does. */
struct wake_source wake_sources_handler(const struct wake_sources *sources, uint32_t cpu);
/*
 * What @waker, no task, stands for, when @event tells of a wake-up; @is_now: it is what does that,
 * and not who began with it before.
 */
struct wake_source wake_sources_find(const struct wake_sources *sources,
				     const struct fathom_event *event, struct waker waker,
				     bool is_now);
/* To be fed with all events, in order of time, before @states is. */
void wake_sources_feed(struct wake_sources *sources, const struct task_states *states,
		       const struct decoded_event *decoded);
void wake_sources_done(struct wake_sources *sources);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The causes of wakeups from interrupts (a timer, a block request or another device), and the
 * handler that runs on each CPU.
 *
 * A wakeup is caused by a block request if that was completed on the same CPU by a handler that is
 * still running. Uses memory per CPU and interrupt, and for pending requests. If it is exhausted,
 * @nomem is set, and causes are missing. Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_WAITS_WAKE_SOURCE_H
#define FATHOM_ANALYZE_WAITS_WAKE_SOURCE_H

#include "analyze/devices/io.h"
#include "analyze/devices/irqs.h"
#include "analyze/tasks/task-states.h"

enum source_kind {
	SOURCE_NONE, /* unknown */
	SOURCE_TIMER,
	SOURCE_BLOCK, /* a block device */
	SOURCE_IRQ, /* a device, by its interrupt */
	SOURCE_VECTOR, /* this CPU, or another one */
	SOURCE_SOFTIRQ,
};

struct wake_source {
	enum source_kind kind;
	/* Of the interrupt, vector, softirq or device; WAKER_NO_NUMBER if unknown. */
	uint32_t number;
	char operation; /* BLOCK: as in struct decoded_event */
	uint64_t served; /* when the handler started, or the device completed */
	uint64_t issued; /* BLOCK: when it was issued */
	uint32_t issuer; /* BLOCK: the task that issued it; TASK_NONE if unknown */
};

/* Empty when zero-initialized. */
struct wake_sources {
	struct irqs irqs; /* for names */
	struct io io; /* for pending requests */
	struct wake_source_cpu *cpus;
	size_t n_cpus, cap_cpus;
	bool nomem; /* causes are missing */
};

/* Returns the innermost handler that runs on the CPU; SOURCE_NONE if there is none. */
struct wake_source wake_sources_handler(const struct wake_sources *sources, uint32_t cpu);
/*
 * Returns the cause of a wakeup by @waker, which is not a task, at @event. @is_now: @waker acts at
 * @event, which does not merely complete a wakeup that it began.
 */
struct wake_source wake_sources_find(const struct wake_sources *sources,
				     const struct fathom_event *event, struct waker waker,
				     bool is_now);
/* Call for every event, in chronological order, before feeding it to @states. */
void wake_sources_feed(struct wake_sources *sources, const struct task_states *states,
		       const struct decoded_event *decoded);
void wake_sources_done(struct wake_sources *sources);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders how long tasks ran and waited for CPUs, as a table, JSON or CSV. Times are in
 * nanoseconds.
 */
#ifndef FATHOM_RENDER_WAITS_SCHED_H
#define FATHOM_RENDER_WAITS_SCHED_H

#include "analyze/waits/sched.h"
#include "render/kit/out.h"

/* The words for enum sched_order, in the same order. */
#define SCHED_ORDERS "run delay max slices moves switches name"
enum sched_order {
	SCHED_BY_RUN,
	SCHED_BY_DELAY, /* the total delay */
	SCHED_BY_MAX, /* the longest delay */
	SCHED_BY_SLICES,
	SCHED_BY_MOVES,
	SCHED_BY_SWITCHES,
	SCHED_BY_NAME,
};

struct sched_view {
	const struct sched *sched;
	const struct task_states *states; /* those that @sched was computed from */
	enum sched_order order;
	bool cpus; /* show CPUs instead of tasks; JSON has both */
	bool histograms; /* show histograms below the table */
};

/* All return 0 or -ENOMEM. */
int sched_print(const struct sched_view *view, struct out *out);
int sched_print_json(const struct sched_view *view, struct out *out);
int sched_print_csv(const struct sched_view *view, struct out *out);

#endif

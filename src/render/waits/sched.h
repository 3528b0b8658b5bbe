/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How tasks got CPUs, as a table, JSON or CSV. */
#ifndef FATHOM_RENDER_WAITS_SCHED_H
#define FATHOM_RENDER_WAITS_SCHED_H

#include "analyze/waits/sched.h"
#include "render/kit/out.h"

/* SCHED_ORDERS has a word for each, in the same order. */
#define SCHED_ORDERS "run delay max slices moves switches name"
enum sched_order {
	SCHED_BY_RUN,
	SCHED_BY_DELAY, /* in all */
	SCHED_BY_MAX, /* the longest delay */
	SCHED_BY_SLICES,
	SCHED_BY_MOVES,
	SCHED_BY_SWITCHES,
	SCHED_BY_NAME,
};

struct sched_view {
	const struct sched *sched;
	const struct task_states *states; /* from which @sched was made */
	enum sched_order order;
	bool cpus; /* CPUs instead of tasks; JSON has both */
	bool histograms; /* below the table */
};

/* 0 or -ENOMEM. */
int sched_print(const struct sched_view *view, struct out *out);
int sched_print_json(const struct sched_view *view, struct out *out);
int sched_print_csv(const struct sched_view *view, struct out *out);

#endif

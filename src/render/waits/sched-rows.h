/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows that all outputs of sched.h show. Private to them. */
#ifndef FATHOM_RENDER_WAITS_SCHED_ROWS_H
#define FATHOM_RENDER_WAITS_SCHED_ROWS_H

#include "render/waits/sched.h"

#define SCHED_MEDIAN 500
#define SCHED_P99    990

struct sched_row {
	const struct task_states_task *task;
	const struct sched_task *sums;
};

/*
 * Lists the tasks with something to show, sorted. Returns 0 or -ENOMEM. The caller frees @ret_rows,
 * whose elements point into @view.
 */
int sched_rows(const struct sched_view *view, struct sched_row **ret_rows, size_t *ret_n);
/* Returns whether the CPU has something to show. */
bool sched_cpu_seen(const struct sched_cpu *cpu);

#endif

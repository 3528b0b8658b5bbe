/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows that all outputs of sched.h have. */
#ifndef FATHOM_RENDER_WAITS_SCHED_ROWS_H
#define FATHOM_RENDER_WAITS_SCHED_ROWS_H

#include "render/waits/sched.h"

#define SCHED_MEDIAN 500
#define SCHED_P99    990

struct sched_row {
	const struct task_states_task *task;
	const struct sched_task *sums;
};

/* Tasks of which there is something to tell, in order. *@ret_rows is to be freed. 0 or -ENOMEM. */
int sched_rows(const struct sched_view *view, struct sched_row **ret_rows, size_t *ret_n);
/* Is there something to tell of the CPU? */
bool sched_cpu_seen(const struct sched_cpu *cpu);

#endif

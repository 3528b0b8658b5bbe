/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks selected by PID and name, for analyses that select tasks rather than events. */
#ifndef FATHOM_ACTIONS_ANALYSIS_TASK_CHOICE_H
#define FATHOM_ACTIONS_ANALYSIS_TASK_CHOICE_H

#include "actions/report/report-args.h"

/* Zero-initialized selects all tasks. */
struct task_choice {
	struct report_list comms;
	int32_t *pids;
	size_t n_pids, cap_pids;
};

/*
 * Moves the selection of tasks out of @args, where it would select events. Returns 0 or a negative
 * errno.
 */
int task_choice_take(struct task_choice *choice, struct report_args *args, struct fathom_err *err);
bool task_choice_has(const struct task_choice *choice, int32_t pid, const char *name);
void task_choice_done(struct task_choice *choice);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom why'. */
#ifndef FATHOM_ACTIONS_WHY_WHY_COMMAND_H
#define FATHOM_ACTIONS_WHY_WHY_COMMAND_H

#include "actions/action.h"
#include "actions/record/record-run.h"
#include "actions/why/why-run.h"
#define ERRORS_MAX 16

#define CALLS_MAX 32

struct why_command {
	struct record_args record; /* must be first, see PLAN_OPTIONS */
	struct why_args why;
	const char *input; /* an existing recording */
	const char *good; /* a successful shell command to compare with */
	const char *pids; /* running processes */
	bool once, rerun;
	const char *size; /* of the ring buffers */
	bool force, yes;
	int errors[ERRORS_MAX];
	const char *calls[CALLS_MAX];
	struct arena arena;
};

/* Runs with action->args, a struct why_command. Returns the exit status. */
int why_command_run(const struct action *action);

#endif

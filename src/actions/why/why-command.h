/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of `fathom why`, once its options are read. */
#ifndef FATHOM_ACTIONS_WHY_WHY_COMMAND_H
#define FATHOM_ACTIONS_WHY_WHY_COMMAND_H

#include "actions/action.h"
#include "actions/record/record-run.h"
#include "actions/why/why-run.h"
#define ERRORS_MAX 16

#define CALLS_MAX 32

struct why_command {
	struct record_args record; /* first, see PLAN_OPTIONS */
	struct why_args why;
	const char *input; /* a recording that is there */
	const char *good; /* a shell command that succeeds, to compare with */
	const char *pids; /* of processes that run already */
	bool once, rerun;
	const char *size; /* of the rings */
	bool force, yes;
	int errors[ERRORS_MAX];
	const char *calls[CALLS_MAX];
	struct arena arena;
};

/* @args of the action is a struct why_command. The exit code. */
int why_command_run(const struct action *action);

#endif

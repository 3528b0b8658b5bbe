/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom stack'. */
#ifndef FATHOM_ACTIONS_SESSION_STACK_RUN_H
#define FATHOM_ACTIONS_SESSION_STACK_RUN_H

#include "actions/action.h"

struct stack_args {
	bool start, stop, reset, json, csv;
};

/* Runs with action->args, a struct stack_args. Returns the exit status. */
int stack_run(const struct action *action);

#endif

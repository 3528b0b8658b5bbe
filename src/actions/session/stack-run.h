/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of `fathom stack`, once its options are read. */
#ifndef FATHOM_ACTIONS_SESSION_STACK_RUN_H
#define FATHOM_ACTIONS_SESSION_STACK_RUN_H

#include "actions/action.h"

struct stack_args {
	bool start, stop, reset, json;
};

/* @args of the action is a struct stack_args. The exit code. */
int stack_run(const struct action *action);

#endif

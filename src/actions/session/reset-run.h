/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom reset'. */
#ifndef FATHOM_ACTIONS_SESSION_RESET_RUN_H
#define FATHOM_ACTIONS_SESSION_RESET_RUN_H

#include "actions/action.h"

struct reset_args {
	bool all;
	bool yes;
};

/* Runs with action->args, a struct reset_args. Returns the exit status. */
int reset_run(const struct action *action);

#endif

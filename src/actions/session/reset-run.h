/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of `fathom reset`, once its options are read. */
#ifndef FATHOM_ACTIONS_SESSION_RESET_RUN_H
#define FATHOM_ACTIONS_SESSION_RESET_RUN_H

#include "actions/action.h"

struct reset_args {
	bool all;
	bool yes;
};

/* @args of the action is a struct reset_args. The exit code. */
int reset_run(const struct action *action);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom ps'. */
#ifndef FATHOM_ACTIONS_SESSION_PS_RUN_H
#define FATHOM_ACTIONS_SESSION_PS_RUN_H

#include "actions/action.h"

struct ps_args {
	bool json, csv;
};

/* Runs with action->args, a struct ps_args. Returns the exit status. */
int ps_run(const struct action *action);

#endif

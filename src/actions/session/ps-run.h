/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of `fathom ps`, once its options are read. */
#ifndef FATHOM_ACTIONS_SESSION_PS_RUN_H
#define FATHOM_ACTIONS_SESSION_PS_RUN_H

#include "actions/action.h"

struct ps_args {
	bool json;
};

/* @args of the action is a struct ps_args. The exit code. */
int ps_run(const struct action *action);

#endif

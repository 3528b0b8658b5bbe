/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom count'. */
#ifndef FATHOM_ACTIONS_COUNT_COUNT_RUN_H
#define FATHOM_ACTIONS_COUNT_COUNT_RUN_H

#include "actions/action.h"
#include "actions/count/count-args.h"

/* Runs with action->args, a struct count_args. Returns the exit status. */
int count_run(const struct action *action);

#endif

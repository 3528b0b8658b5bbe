/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts in the running kernel until a time is over, a signal arrives, or a process ends. */
#ifndef FATHOM_ACTIONS_COUNT_COUNT_LIVE_RUN_H
#define FATHOM_ACTIONS_COUNT_COUNT_LIVE_RUN_H

#include "actions/action.h"
#include "actions/count/count-words.h"

/* Prints the result and errors. Returns the exit status: that of the command, if there is one. */
int count_live_run(const struct action *action, struct count_request *request);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evaluates the recording of 'fathom why --slow'. */
#ifndef FATHOM_ACTIONS_WHY_WHY_SLOW_H
#define FATHOM_ACTIONS_WHY_WHY_SLOW_H

#include "actions/action.h"
#include "actions/why/why-run.h"

/*
 * Shows the slow calls of a recording. Enters the sandbox. Returns the exit status or a negative
 * errno.
 */
int why_slow_show(const struct action *action, struct why_args *args, const char *path,
		  struct out *out, struct fathom_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carries out `fathom why --slow`, once there is a recording. */
#ifndef FATHOM_ACTIONS_WHY_WHY_SLOW_H
#define FATHOM_ACTIONS_WHY_WHY_SLOW_H

#include "actions/action.h"
#include "actions/why/why-run.h"

/* Shows the calls of a recording that took long; enters the sandbox. The exit code or a negative errno. */
int why_slow_show(const struct action *action, struct why_args *args, const char *path,
		  struct out *out, struct fathom_err *err);

#endif

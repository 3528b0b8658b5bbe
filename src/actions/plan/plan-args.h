/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be traced, as it was asked for; plan_args_init() before the first change. */
#ifndef FATHOM_ACTIONS_PLAN_PLAN_ARGS_H
#define FATHOM_ACTIONS_PLAN_PLAN_ARGS_H

#include <stdbool.h>

#include <fathom/err.h>

#include "record/plan/plan.h"

struct plan_args {
	struct plan plan; /* without buffers while no option was seen */
	bool off; /* after -v */
	bool filter_command; /* -F */
	bool yes; /* --yes */
	char *until; /* --until: the event and the trigger, two strings */
};

int plan_args_init(struct plan_args *args, struct fathom_err *err);
void plan_args_done(struct plan_args *args);

#endif

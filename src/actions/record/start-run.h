/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carries out `fathom start` and `fathom set`: settings that outlive the command. */
#ifndef FATHOM_ACTIONS_RECORD_START_RUN_H
#define FATHOM_ACTIONS_RECORD_START_RUN_H

#include <stdbool.h>

#include "actions/action.h"
#include "actions/plan/plan-args.h"

struct start_args {
	struct plan_args plan; /* first, see PLAN_OPTIONS */
	const char *session; /* to change; NULL: the one that is kept */
	const char *user; /* who runs the command */
	bool also; /* beside one that is kept */
	bool fork; /* do not wait for the command */
	bool quiet;
};

/* Begins a session, switches tracing on and leaves it so. The exit code. */
int start_run(const struct action *action, struct start_args *args);
/* Changes the settings of the session that is kept, or of a new one. The exit code. */
int start_change(const struct action *action, struct start_args *args);
/* For struct command. */
void start_args_done(void *args);

#endif

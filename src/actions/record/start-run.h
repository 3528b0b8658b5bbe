/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom start' and 'fathom set': settings that outlive the command. */
#ifndef FATHOM_ACTIONS_RECORD_START_RUN_H
#define FATHOM_ACTIONS_RECORD_START_RUN_H

#include <stdbool.h>

#include "actions/action.h"
#include "actions/plan/plan-args.h"

struct start_args {
	struct plan_args plan; /* must be first, see PLAN_OPTIONS */
	const char *session; /* to change; NULL: the detached one */
	const char *user; /* user who runs the command */
	bool also; /* next to an existing one */
	bool fork; /* do not wait for the command */
	bool quiet;
};

/* Creates a session and enables tracing. Returns the exit status. */
int start_run(const struct action *action, struct start_args *args);
/* Changes the settings of the detached session, or of a new one. Returns the exit status. */
int start_change(const struct action *action, struct start_args *args);
/* For struct command. */
void start_args_done(void *args);

#endif

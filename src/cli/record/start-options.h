/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of `fathom start` and `fathom set`, which fill a struct start_args. */
#ifndef FATHOM_CLI_RECORD_START_OPTIONS_H
#define FATHOM_CLI_RECORD_START_OPTIONS_H

#include "actions/record/start-run.h"
#include "cli/plan/plan-options.h"

#define START_OPTIONS                                                                              \
	OPT_GROUP("What to trace"), PLAN_EVENT_OPTIONS,                                            \
		OPT_CALL('F', NULL, NULL, plan_arg_command_only, "trace only the command"),        \
		PLAN_TASK_OPTIONS, OPT_GROUP("Values and stack traces"), PLAN_VALUE_OPTIONS,       \
		PLAN_STACK_OPTIONS, PLAN_LIMIT_OPTIONS, OPT_GROUP("Buffers"), PLAN_BUFFER_OPTIONS, \
		OPT_GROUP("Command"),                                                              \
		OPT_STRING(0, "user", "USER", struct start_args, user, "run the command as USER"), \
		OPT_FLAG(0, "fork", struct start_args, fork, "don't wait for the command to exit")

#define START_QUIET_OPTION \
	OPT_FLAG('q', "quiet", struct start_args, quiet, "print only errors and warnings")

#endif

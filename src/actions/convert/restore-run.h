/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom restore'. */
#ifndef FATHOM_ACTIONS_CONVERT_RESTORE_RUN_H
#define FATHOM_ACTIONS_CONVERT_RESTORE_RUN_H

#include "actions/action.h"

struct restore_args {
	bool create;
	const char *input, *output, *tracing, *kallsyms;
	mode_t mode; /* of the output */
};

/* Runs with action->args, a struct restore_args. Returns the exit status. */
int restore_run(const struct action *action);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of `fathom restore`, once its options are read. */
#ifndef FATHOM_ACTIONS_CONVERT_RESTORE_RUN_H
#define FATHOM_ACTIONS_CONVERT_RESTORE_RUN_H

#include "actions/action.h"

struct restore_args {
	bool create;
	const char *input, *output, *tracing, *kallsyms;
	mode_t mode; /* of the output */
};

/* @args of the action is a struct restore_args. The exit code. */
int restore_run(const struct action *action);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom convert'. */
#ifndef FATHOM_ACTIONS_CONVERT_CONVERT_RUN_H
#define FATHOM_ACTIONS_CONVERT_CONVERT_RUN_H

#include "actions/action.h"

#define CONVERT_COMPRESSIONS "any none zlib zstd"
#define CONVERT_SYMBOLS	     "all used"

struct convert_args {
	const char *input, *output;
	mode_t mode; /* of the output */
	unsigned version; /* 0: 7, 1: 6 */
	unsigned compression; /* index in CONVERT_COMPRESSIONS */
	unsigned long level;
	unsigned symbols; /* index in CONVERT_SYMBOLS */
};

/* Runs with action->args, a struct convert_args. Returns the exit status. */
int convert_run(const struct action *action);

#endif

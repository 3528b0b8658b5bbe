/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Telling the user that a trace file is damaged. */
#ifndef FATHOM_ACTIONS_INPUT_DAMAGE_H
#define FATHOM_ACTIONS_INPUT_DAMAGE_H

#include <stdbool.h>

#include <fathom/trace.h>

#include "actions/action.h"

/* The exit code of a command that showed what could be read of a damaged file. */
#define EXIT_DAMAGED 3

/* Says what is wrong, unless @quiet. Is anything? */
bool damage_tell(const struct action *action, struct fathom_trace *trace, const char *path,
		 bool quiet);

#endif

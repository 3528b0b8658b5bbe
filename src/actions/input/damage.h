/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports that a trace file is damaged. */
#ifndef FATHOM_ACTIONS_INPUT_DAMAGE_H
#define FATHOM_ACTIONS_INPUT_DAMAGE_H

#include <stdbool.h>

#include <fathom/trace.h>

#include "actions/action.h"

/* The exit status of a command that showed the readable part of a damaged file. */
#define EXIT_DAMAGED 3

/* Reports the damage unless @quiet. Returns whether there is any. */
bool damage_report(const struct action *action, struct fathom_trace *trace, const char *path,
		   bool quiet);

#endif

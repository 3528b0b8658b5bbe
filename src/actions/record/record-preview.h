/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `fathom record --dry-run`: says what would be recorded and what that costs, and changes nothing. */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_PREVIEW_H
#define FATHOM_ACTIONS_RECORD_RECORD_PREVIEW_H

#include "actions/action.h"
#include "actions/record/record-run.h"

/* @argv is the command, which is not started, if there is one. The exit code is that of a recording that fails early, or 0. */
int record_preview(const struct action *action, struct record_args *args, int argc, char **argv);

#endif

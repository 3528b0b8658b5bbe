/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements 'fathom record --dry-run': shows what would be recorded and its cost; changes nothing.
 */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_PREVIEW_H
#define FATHOM_ACTIONS_RECORD_RECORD_PREVIEW_H

#include "actions/action.h"
#include "actions/record/record-run.h"

/*
 * @argv is the command, if any, which is not started. Returns the exit status of a recording that
 * fails early, or 0.
 */
int record_preview(const struct action *action, struct record_args *args, int argc, char **argv);

#endif

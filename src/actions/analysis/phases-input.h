/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules that say what functions are about, from a file of the user or our own. */
#ifndef FATHOM_ACTIONS_ANALYSIS_PHASES_INPUT_H
#define FATHOM_ACTIONS_ANALYSIS_PHASES_INPUT_H

#include "analyze/calls/phases.h"
#include "base/cleanup.h"

DEFINE_CLEANUP(struct phases, phases_free);

/* Those of the file @path, or with NULL those that come with the program. 0 or a negative errno. */
int phases_input_read(const char *path, struct phases **ret_phases, struct fathom_err *err);

#endif

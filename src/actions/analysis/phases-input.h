/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads phase rules, from a file of the user or the built-in ones. */
#ifndef FATHOM_ACTIONS_ANALYSIS_PHASES_INPUT_H
#define FATHOM_ACTIONS_ANALYSIS_PHASES_INPUT_H

#include "analyze/calls/phases.h"
#include "base/cleanup.h"

DEFINE_CLEANUP(struct phases, phases_free);

/*
 * Reads the rules of the file @path, or the built-in rules if it is NULL. Returns 0 or a negative
 * errno.
 */
int phases_input_read(const char *path, struct phases **ret_phases, struct fathom_err *err);

#endif

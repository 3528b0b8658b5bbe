/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detects a recording given instead of another operand, such as a command to run, to name the
 * command that shows it.
 */
#ifndef FATHOM_ACTIONS_INPUT_RECORDING_OPERAND_H
#define FATHOM_ACTIONS_INPUT_RECORDING_OPERAND_H

#include <stdbool.h>

#include <fathom/err.h>

/* Returns whether @path is a recording. */
bool recording_operand_is(const char *path);
/*
 * Returns 0, or -EINVAL if the command to run, @operand, is a recording. The message suggests
 * @shown_by, the command that shows it.
 */
int recording_operand_check(const char *shown_by, const char *operand, struct fathom_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording in the place of something else, such as a command to run: it is refused, with what shows it. */
#ifndef FATHOM_ACTIONS_INPUT_RECORDING_OPERAND_H
#define FATHOM_ACTIONS_INPUT_RECORDING_OPERAND_H

#include <stdbool.h>

#include <fathom/err.h>

/* Is it the path of a recording? */
bool recording_operand_is(const char *path);
/* 0, or -EINVAL if @operand, the name of a command to run, is a recording; it says that @shown_by, a command of ours, shows it. */
int recording_operand_check(const char *shown_by, const char *operand, struct fathom_err *err);

#endif

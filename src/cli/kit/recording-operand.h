/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording in the place of something else, such as a command to run: it is refused, with what shows it. */
#ifndef FATHOM_CLI_KIT_RECORDING_OPERAND_H
#define FATHOM_CLI_KIT_RECORDING_OPERAND_H

#include "cli/kit/command.h"

/* Is it the path of a recording? */
bool recording_operand_is(const char *path);
/* 0, or -EINVAL if the first operand of the command is a recording. */
int recording_operand_check(const struct command *command, const char *operand,
			    struct fathom_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shell completion scripts, which ask the program; see complete.h. */
#ifndef FATHOM_CLI_COMPLETION_H
#define FATHOM_CLI_COMPLETION_H

#include <stdio.h>

/* Writes the script for @shell: "bash", "zsh" or "fish". -EINVAL for another. */
int completion_print(const char *shell, FILE *f);

#endif

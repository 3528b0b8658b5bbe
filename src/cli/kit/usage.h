/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help texts generated from the tables. */
#ifndef FATHOM_CLI_KIT_USAGE_H
#define FATHOM_CLI_KIT_USAGE_H

#include "cli/kit/command.h"

/* Writes "fathom list [OPTION...] [WHAT] [PATTERN...]"; @size suffices for any command. */
void usage_synopsis(const struct command *command, char *line, size_t size);
/* Writes "-o, --output=FILE" or less. */
void usage_option_head(const struct option_def *def, char *text, size_t size);
/* Prints the output of 'fathom COMMAND -h'. */
void usage_print(const struct command *command, struct out *out);
/* Prints the page of 'fathom help': the first commands to know, and the names of all. */
void usage_print_overview(struct out *out);
/* Prints the page of 'fathom help -a': all commands with their summaries. */
void usage_print_all(struct out *out);

#define USAGE_LINE_SIZE 256

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The help texts that are made from the tables. */
#ifndef FATHOM_CLI_KIT_USAGE_H
#define FATHOM_CLI_KIT_USAGE_H

#include "cli/kit/command.h"

/* "fathom list [OPTION...] [WHAT] [PATTERN...]"; @size is enough for any command's. */
void usage_synopsis(const struct command *command, char *line, size_t size);
/* "-o, --output=FILE" or less. */
void usage_option_head(const struct option_def *def, char *text, size_t size);
/* All of `fathom COMMAND -h`. */
void usage_print(const struct command *command, struct out *out);
/* The page of `fathom help`: what to start with, and the names of all commands. */
void usage_print_overview(struct out *out);
/* The page of `fathom help -a`: all commands with their summaries. */
void usage_print_all(struct out *out);

#define USAGE_LINE_SIZE 256

#endif

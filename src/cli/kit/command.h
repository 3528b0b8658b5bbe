/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands. Each lives in a file of its own, cmd-NAME.c, as one struct command;
 * commands.h lists them. See docs/howto-add-command.md.
 */
#ifndef FATHOM_CLI_KIT_COMMAND_H
#define FATHOM_CLI_KIT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "actions/action.h"
#include "base/str.h"
#include "cli/kit/option.h"

/* For operand_words: the names of all commands. */
extern const char OPERANDS_ARE_COMMANDS[];

struct command {
	const char *name;
	const char *alias; /* alias, which is not listed; NULL: none */
	const char *summary; /* for the list of commands */
	const char *description; /* a few sentences, printed above the options by -h */
	const char *operands; /* follow the options in the synopsis; "" for none */
	const char *operand_words; /* completed on <Tab>, separated by spaces; NULL: file names */
	const struct option_def *options;
	size_t args_size;
	bool runs_command; /* options end at the first operand */
	const char *for_recording; /* the command that shows a recording; NULL: "report" */
	bool minds_sessions; /* handles sessions that were left behind: do not warn about them */
	bool paged; /* long output: use a pager on a terminal */
	/*
	 * Does the work, with the @args filled by the option table and the operands as @argv.
	 * Returns the exit status.
	 */
	int (*run)(const struct action *action);
	/* Releases what the options allocated, even if they were invalid; may be NULL. */
	void (*done)(void *args);
};

/* A row of the list of commands: the title of a group, or a command of the group above. */
struct command_row {
	const char *group;
	const struct command *command;
};

/*
 * All commands, in the order of the list; ends with NULL. Set by main(), because commands refer to
 * each other.
 */
extern const struct command *const *commands;
/* Likewise with groups; ends with a row that has neither. */
extern const struct command_row *command_rows;
/* The options of every command. */
extern const struct option_def common_options[];
/* Options that are also accepted before the command, besides the common ones. Only names count. */
extern const struct option_def leading_options[];

/* Returns NULL if there is no command of that name. */
const struct command *command_find(const char *name);
/*
 * Reports an unknown command, and suggests the most similar command, or whatever else was offered
 * to @nearest. Returns EXIT_USAGE.
 */
int command_unknown(struct nearest *nearest);

#endif

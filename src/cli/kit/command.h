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

/* For operand_words: the names of the commands. */
extern const char OPERANDS_ARE_COMMANDS[];

struct command {
	const char *name;
	const char *alias; /* another name, which is not listed; NULL: none */
	const char *summary; /* what it is for, for the list of commands */
	const char *description; /* a few sentences above the options in -h */
	const char *operands; /* behind the options in the synopsis; "" for none */
	const char *operand_words; /* offered on <Tab>, separated by spaces; NULL: file names */
	const struct option_def *options;
	size_t args_size;
	bool runs_command; /* options end at the first operand */
	const char *for_recording; /* of those: the command that shows a recording; NULL: "report" */
	bool minds_sessions; /* shows or mends sessions that were left behind: no need to say so */
	bool paged; /* its output may be long: use a pager on a terminal */
	/* Does the work, with what its option table has filled as @args and the operands as @argv; the exit code. */
	int (*run)(const struct action *action);
	/* Releases what its options have made, also when they were wrong; may be NULL. */
	void (*done)(void *args);
};

/* A row of the list of commands: the title of a group, or a command of the group above it. */
struct command_row {
	const char *group;
	const struct command *command;
};

/* All commands, in the order of the list; ends with NULL. Set by main(), because commands refer to others. */
extern const struct command *const *commands;
/* The same with the groups; ends with a row that has neither. */
extern const struct command_row *command_rows;
/* The options that every command has besides its own. */
extern const struct option_def common_options[];

/* NULL when there is none of that name. */
const struct command *command_find(const char *name);
/*
 * Reports that there is no command of the name that is wanted, and suggests the nearest command or
 * whatever else was offered to @nearest. Returns EXIT_USAGE.
 */
int command_unknown(struct nearest *nearest);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kinds of option values and operands, for completion. They follow from the placeholders in
 * the option tables and synopses, such as FILE and EVENT.
 */
#ifndef FATHOM_CLI_VALUE_KINDS_H
#define FATHOM_CLI_VALUE_KINDS_H

#include <stdbool.h>

#include "actions/machine/candidates.h"
#include "cli/kit/command.h"

enum value_type {
	VALUE_UNKNOWN, /* the placeholder is not in the table */
	VALUE_FREE, /* a number, a time, a pattern: nothing to offer */
	VALUE_NAMES, /* see @names */
	VALUE_WORDS, /* one of @words */
	VALUE_FILE,
	VALUE_RECORDING, /* a .dat file */
	VALUE_DIRECTORY,
	VALUE_COMMAND, /* a program in PATH */
};

struct value_kind {
	enum value_type type;
	enum candidate_kind names;
	enum candidate_kind more_names; /* the same as @names if there is only one kind */
	const char *words; /* separated by spaces; also offered besides names; NULL: none */
	bool is_list; /* several, separated by commas */
};

/* Returns the kind of an option's value; @command may be NULL. */
struct value_kind value_kind_of_option(const struct command *command, const struct option_def *def);
/* Returns the kind of operand @i, from 0, of @command; @first is operand 0, or NULL if @i is 0. */
struct value_kind value_kind_of_operand(const struct command *command, unsigned i,
					const char *first);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The meanings of option letters. A letter has one meaning in all commands; what differs is listed
 * with its reason. fathom(1) shows these tables, and letters-test.c compares the option tables of all
 * commands with them.
 */
#ifndef FATHOM_CLI_LETTERS_H
#define FATHOM_CLI_LETTERS_H

#include <stdbool.h>

#include "cli/kit/command.h"

struct letter {
	char letter;
	const char *names; /* long forms, separated by spaces; "" if it has none */
	const char *meaning;
	/* Without a long form: the function of the option; NULL: a flag. */
	int (*call)(void *args, const char *value, struct fathom_err *err);
};

/* Letters with another meaning because other programs have made it familiar. */
struct letter_exception {
	const char *commands; /* separated by spaces; NULL: all that have the option */
	char letter;
	const char *name; /* the long form, or NULL; then @call identifies the option */
	int (*call)(void *args, const char *value, struct fathom_err *err);
	const char *reason;
};

/* Letters with the meaning that they have in the trace-cmd command of the same name. */
struct letter_compat {
	const char *commands; /* separated by spaces */
	const char *letters;
};

/* Each ends with an entry without a letter, or without commands. */
extern const struct letter letters[];
extern const struct letter_exception letter_exceptions[];
extern const struct letter_compat letter_compats[];

/* Returns whether @def has the one meaning of its letter. */
bool letter_is_usual(const struct option_def *def);
/* Returns the entry that permits @def in @command, or NULL. */
const struct letter_exception *letter_find_exception(const struct command *command,
						     const struct option_def *def);
const struct letter_compat *letter_find_compat(const struct command *command,
					       const struct option_def *def);

#endif

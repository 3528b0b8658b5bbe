/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Option tables. A command declares its options once, as an array of struct
 * option_def; the parser, `-h`, the man page's options and the shell completions
 * are all made from it.
 */
#ifndef FATHOM_CLI_KIT_OPTION_H
#define FATHOM_CLI_KIT_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

enum option_kind {
	OPTION_END,
	OPTION_FLAG, /* sets a bool */
	OPTION_STRING, /* sets a const char *, the last one wins */
	OPTION_NUMBER, /* sets an unsigned long */
	OPTION_CHOICE, /* sets an unsigned int to the place of the word in @choices */
	OPTION_MODE, /* sets a mode_t to an octal number: the mode of a file that is written */
	OPTION_CALL, /* calls a function each time, in the order given */
};

struct option_def {
	enum option_kind kind;
	char letter; /* 0: it has no short form */
	const char *name; /* the long form, without "--"; NULL: it has none */
	const char *arg; /* what the argument is called in the help; NULL: it takes none */
	const char *choices; /* words separated by spaces: allowed (CHOICE), or offered on <Tab> */
	size_t offset; /* of the field in the command's arguments */
	int (*call)(void *args, const char *value, struct fathom_err *err);
	const char *help; /* what it does: a sentence without a full stop */
};

#define OPT_FLAG(l, n, type, field, text)                                                         \
	{                                                                                         \
		.kind = OPTION_FLAG, .letter = (l), .name = (n), .offset = offsetof(type, field), \
		.help = (text)                                                                    \
	}
#define OPT_STRING(l, n, a, type, field, text)                                 \
	{                                                                      \
		.kind = OPTION_STRING, .letter = (l), .name = (n), .arg = (a), \
		.offset = offsetof(type, field), .help = (text)                \
	}
#define OPT_NUMBER(l, n, a, type, field, text)                                 \
	{                                                                      \
		.kind = OPTION_NUMBER, .letter = (l), .name = (n), .arg = (a), \
		.offset = offsetof(type, field), .help = (text)                \
	}
#define OPT_CHOICE(l, n, a, words, type, field, text)                                              \
	{                                                                                          \
		.kind = OPTION_CHOICE, .letter = (l), .name = (n), .arg = (a), .choices = (words), \
		.offset = offsetof(type, field), .help = (text)                                    \
	}
#define OPT_MODE(type, field)                                               \
	{                                                                   \
		.kind = OPTION_MODE, .name = "mode", .arg = "MODE",         \
		.offset = offsetof(type, field),                            \
		.help = "mode of the output file, in octal (default: 0600)" \
	}
#define OPT_CALL(l, n, a, function, text)                                                        \
	{                                                                                        \
		.kind = OPTION_CALL, .letter = (l), .name = (n), .arg = (a), .call = (function), \
		.help = (text)                                                                   \
	}
#define OPT_END            \
	{                  \
		OPTION_END \
	}

/* A table and the struct that its fields are in. */
struct option_set {
	const struct option_def *defs;
	void *args;
};

/*
 * Parses @argv (without the command's own name) against @sets, the first that
 * knows an option wins. Operands are moved to the front of @argv, in order, and
 * counted in *@ret_operands. With @stop_at_operand the first one ends the
 * options, for commands that run another command. "--" always does.
 */
int options_parse(const struct option_set *sets, size_t nsets, int argc, char **argv,
		  bool stop_at_operand, int *ret_operands, struct fathom_err *err);

#endif

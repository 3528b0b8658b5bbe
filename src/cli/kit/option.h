/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Option tables. A command declares its options once, as an array of struct option_def, from which
 * the parser, -h, the man page's options and the shell completions are generated.
 */
#ifndef FATHOM_CLI_KIT_OPTION_H
#define FATHOM_CLI_KIT_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

enum option_kind {
	OPTION_END,
	OPTION_FLAG, /* sets a bool */
	OPTION_STRING, /* sets a const char *; the last use counts */
	OPTION_NUMBER, /* sets an unsigned long */
	OPTION_CHOICE, /* sets an unsigned int to the index of the word in @choices */
	OPTION_MODE, /* sets a mode_t, given in octal: the mode of an output file */
	OPTION_CALL, /* calls a function for each use, in order */
	OPTION_GROUP, /* not an option: the heading of those below */
};

struct option_def {
	enum option_kind kind;
	char letter; /* 0: no short form */
	const char *name; /* the long form, without "--"; NULL: none */
	const char *arg; /* name of the argument in help texts; NULL: no argument */
	const char *choices; /* words separated by spaces: allowed (CHOICE), or completed on <Tab> */
	size_t offset; /* of the field in the command's arguments */
	int (*call)(void *args, const char *value, struct fathom_err *err);
	const char *help; /* description: a phrase without a full stop; of a group: the heading */
	bool manual_only; /* of a group: its options are not shown by -h */
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
/*
 * A table with more options than fit on a screen begins with a group. The last group is "Output",
 * because the options that all commands have follow it.
 */
#define OPT_GROUP(title)                               \
	{                                              \
		.kind = OPTION_GROUP, .help = (title), \
	}
/* Options that are accepted for compatibility and do nothing. */
#define OPT_GROUP_MANUAL_ONLY(title)                                        \
	{                                                                   \
		.kind = OPTION_GROUP, .help = (title), .manual_only = true, \
	}
#define OPT_END            \
	{                  \
		OPTION_END \
	}

/* A table, and the struct that contains its fields. */
struct option_set {
	const struct option_def *defs;
	void *args;
};

/*
 * Parses @argv (without the command's name) according to @sets; the first one with a matching
 * option is used. Moves operands to the front of @argv, in order, and stores their number in
 * *@ret_operands. With @stop_at_operand, options end at the first operand, for commands that run
 * another command. "--" always ends them.
 */
int options_parse(const struct option_set *sets, size_t nsets, int argc, char **argv,
		  bool stop_at_operand, int *ret_operands, struct fathom_err *err);

#endif

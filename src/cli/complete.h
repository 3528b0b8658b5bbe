/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completes a command line from the tables of commands and options, for the scripts of the shells. */
#ifndef FATHOM_CLI_COMPLETE_H
#define FATHOM_CLI_COMPLETE_H

#include "base/strbuf.h"

/*
 * Appends to @text how to complete the last of @words, which follow the name of the program:
 *
 *	KIND	words, file, recording, directory, program, or "command N": what completes the line
 *		from its word N on, which is a command of its own
 *	WORD	the word to complete
 *	PREFIX	the part of it before the file or program: "--output="
 *	...	a line for each candidate: what replaces the word, a tab, and a description
 *
 * @root as in candidates_list(). Returns 0 or -ENOMEM.
 */
int complete_words(const char *root, int n, char **words, struct strbuf *text);

/*
 * Splits the beginning of @line, the program included, as a shell does, and completes its last word.
 * N of the result is then the offset in @line.
 */
int complete_line(const char *root, const char *line, struct strbuf *text);

/* `fathom --complete line LINE POINT` or `fathom --complete words WORD...`; returns the exit code. */
int complete_main(int argc, char **argv);

#endif

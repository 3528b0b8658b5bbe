/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process between a command and the user's pager, which is only needed for long text. */
#ifndef FATHOM_PROCESS_PAGER_H
#define FATHOM_PROCESS_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/* How much of a screen some text takes up. Zero-initialized is none. */
struct pager_extent {
	unsigned column, rows;
	bool is_escape; /* in an escape sequence */
};

/* Adds text, on a screen of @columns. */
void pager_extent_add(struct pager_extent *extent, const char *text, size_t len, unsigned columns);

/*
 * In a child process: copies @input to standard output if it fits on that terminal. Otherwise runs
 * the shell command @command, as the caller, and copies to that. The size of the terminal must be
 * known, or all text goes to the pager. If no process can be started, all text goes to standard
 * output.
 */
_Noreturn void pager_serve(const char *command, int input);

#endif

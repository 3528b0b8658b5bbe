/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work in a process of its own. Who reads hostile bytes and writes a file needs two: one
 * that gives up all rights and does the work, and one that keeps the right to give the
 * file its name when that went well.
 */
#ifndef FATHOM_CLI_CHILD_H
#define FATHOM_CLI_CHILD_H

#include <fathom/err.h>

/*
 * Runs @work in a child process and waits for it: the exit code that @work returned, which is one
 * of those of commands. A negative number is that of the signal that ended it; the caller
 * tidies up and calls child_follow(). Signals that end programs are passed on to the child.
 */
int child_run(int (*work)(void *arg), void *arg, struct fathom_err *err);
/* Ends this process as the child was ended; an exit code for signals that don't. */
int child_follow(int result);

#endif

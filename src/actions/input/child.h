/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Privilege separation for commands that parse untrusted input and write a file. The child drops
 * all privileges and does the work; the parent keeps the right to create the output file, and names
 * it only if the child succeeds.
 */
#ifndef FATHOM_ACTIONS_INPUT_CHILD_H
#define FATHOM_ACTIONS_INPUT_CHILD_H

#include "actions/action.h"
#include "base/files/new-file.h"

/* A bit in the exit status of a child that wrote a file: there is more to write. */
#define EXIT_MORE 64

/*
 * Runs @work, which writes to @file, in a child process, and forwards terminating signals to it.
 * Names the file if @work returns EXIT_OK or EXIT_DAMAGED, with or without EXIT_MORE. Reports
 * errors. Returns that exit status or, if a signal killed the child, its negative number: the
 * caller cleans up and calls child_follow().
 */
int child_write(const struct action *action, struct new_file *file, int (*work)(void *arg),
		void *arg);
/*
 * Runs @work in a child process, and @serve in this one. @serve answers requests of the child until
 * the child has exited, and returns 0, or a negative errno earlier. Otherwise like child_write().
 */
int child_serve(const struct action *action, int (*work)(void *arg),
		int (*serve)(void *arg, struct fathom_err *err), void *arg);
/*
 * Terminates this process by the signal that killed the child. Returns an exit status for signals
 * that do not terminate.
 */
int child_follow(int result);

#endif

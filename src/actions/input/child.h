/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work in a process of its own. Who reads hostile bytes and writes a file needs two: one
 * that gives up all rights and does the work, and one that keeps the right to give the
 * file its name when that went well.
 */
#ifndef FATHOM_ACTIONS_INPUT_CHILD_H
#define FATHOM_ACTIONS_INPUT_CHILD_H

#include "actions/action.h"
#include "base/files/new-file.h"

/* A bit in the exit code of a child that wrote a file: there is more to come. */
#define EXIT_MORE 64

/*
 * Runs @work, which writes to @file, in a child process; signals that end programs are passed on to
 * it. The file gets its name when @work returns EXIT_OK or EXIT_DAMAGED, with or without EXIT_MORE.
 * Errors are reported. Returns that exit code, or, when a signal ended the child, the
 * negative number of it: the caller tidies up and calls child_follow().
 */
int child_write(const struct action *action, struct new_file *file, int (*work)(void *arg),
		void *arg);
/*
 * Runs @work in a child process and @serve in this one, which answers requests of the child
 * and returns when it is gone, or 0 or a negative errno before. Else as child_write().
 */
int child_serve(const struct action *action, int (*work)(void *arg),
		int (*serve)(void *arg, struct fathom_err *err), void *arg);
/* Ends this process as the child was ended; an exit code for signals that don't. */
int child_follow(int result);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens a trace file in two steps, before and inside the sandbox: the first needs the user's
 * privileges and reads no byte of the file, the second reads the file and needs no privileges.
 */
#ifndef FATHOM_ACTIONS_INPUT_TRACE_INPUT_H
#define FATHOM_ACTIONS_INPUT_TRACE_INPUT_H

#include <fathom/err.h>
#include <fathom/trace.h>

/* Returns a file descriptor or a negative errno. */
int trace_input_open(const char *path, struct fathom_err *err);
/* Takes ownership of @fd, also on failure; @path is for messages. Returns 0 or a negative errno. */
int trace_input_read(int fd, const char *path, unsigned flags, struct fathom_trace **ret_trace,
		     struct fathom_err *err);

#endif

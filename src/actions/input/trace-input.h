/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening a trace file in two steps with the sandbox between them: the first needs the
 * user's rights and looks at no byte of the file, the second reads it and needs none.
 */
#ifndef FATHOM_ACTIONS_INPUT_TRACE_INPUT_H
#define FATHOM_ACTIONS_INPUT_TRACE_INPUT_H

#include <fathom/err.h>
#include <fathom/trace.h>

/* The file descriptor or a negative errno. */
int trace_input_open(const char *path, struct fathom_err *err);
/* Takes @fd over, also when this fails; @path is for messages. 0 or a negative errno. */
int trace_input_read(int fd, const char *path, unsigned flags, struct fathom_trace **ret_trace,
		     struct fathom_err *err);

#endif

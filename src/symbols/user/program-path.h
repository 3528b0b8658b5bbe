/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file of what a user calls a program: a path, a library by its name ("libc": the one that the
 * dynamic loader would take), a program that the shell would find, or one of these as a process
 * has them, which may be in another mount namespace.
 */
#ifndef FATHOM_SYMBOLS_USER_PROGRAM_PATH_H
#define FATHOM_SYMBOLS_USER_PROGRAM_PATH_H

#include <fathom/err.h>

#include "base/arena.h"

/*
 * An absolute path that can be opened here, in @arena. With @pid, not 0, it is a file of that process:
 * one that it has mapped, its program when @name is NULL, or a path as it sees them. @root is ""
 * but in tests. 0, or a negative errno with a message.
 */
int program_path_find(const char *root, int pid, const char *name, struct arena *arena,
		      const char **ret_path, struct fathom_err *err);

#endif

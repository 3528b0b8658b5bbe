/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the file that a user refers to as a program: a path, a library by name ("libc": the one
 * that the dynamic loader would use), a program in $PATH, or one of these as seen by a process,
 * possibly in another mount namespace.
 */
#ifndef FATHOM_SYMBOLS_USER_PROGRAM_PATH_H
#define FATHOM_SYMBOLS_USER_PROGRAM_PATH_H

#include <fathom/err.h>

#include "base/arena.h"

/*
 * Returns an absolute path that can be opened here, in @arena. If @pid is not 0, it is a file of
 * that process: its program if @name is NULL, a file that it has mapped, or a path as it sees it.
 * @root is a prefix of paths, "" except in tests. Returns 0, or a negative errno with a message.
 */
int program_path_find(const char *root, int pid, const char *name, struct arena *arena,
		      const char **ret_path, struct fathom_err *err);

#endif

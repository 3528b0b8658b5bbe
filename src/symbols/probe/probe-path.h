/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chooses the path under which a program's file is given to the kernel, which resolves it again: if
 * other users could replace the file in between, the kernel would place the probe at our offset in
 * a file that we have not read.
 */
#ifndef FATHOM_SYMBOLS_PROBE_PROBE_PATH_H
#define FATHOM_SYMBOLS_PROBE_PROBE_PATH_H

#include <stdbool.h>

#include "base/arena.h"

/*
 * Returns whether only root and the caller of sudo can change the target of @path. Both sides of
 * symbolic links are checked.
 */
bool probe_path_is_firm(const char *path);
/*
 * Returns @path or, if others can change its target, a path through a duplicate of @fd, which stays
 * open as long as this process runs. The result is in @arena; NULL: out of memory or descriptors.
 */
const char *probe_path(int fd, const char *path, struct arena *arena);

#endif

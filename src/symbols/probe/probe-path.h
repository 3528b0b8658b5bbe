/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a program's file is named to the kernel. The kernel looks a path up once more: where another user could put a
 * different file there in between, the probe would be at an offset of ours in a file that we have never seen.
 */
#ifndef FATHOM_SYMBOLS_PROBE_PROBE_PATH_H
#define FATHOM_SYMBOLS_PROBE_PROBE_PATH_H

#include <stdbool.h>

#include "base/arena.h"

/* Can only root and the caller of sudo change what @path leads to? Links are looked at on both sides. */
bool probe_path_is_firm(const char *path);
/*
 * @path; or, where others could change what that leads to, one through a descriptor of the open file @fd that stays
 * open as long as this process runs. In @arena; NULL: no memory, or no descriptor left.
 */
const char *probe_path(int fd, const char *path, struct arena *arena);

#endif

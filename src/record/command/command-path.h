/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which file a command is, as execvp(3) finds it. */
#ifndef FATHOM_RECORD_COMMAND_COMMAND_PATH_H
#define FATHOM_RECORD_COMMAND_COMMAND_PATH_H

#include <stddef.h>

/* 0, or what execvp() would fail with: -ENOENT, -EACCES, -ENAMETOOLONG. A name with a slash is taken as it is. */
int command_path_find(const char *name, char *path, size_t size);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the file of a command, as execvp(3) does. */
#ifndef FATHOM_RECORD_COMMAND_COMMAND_PATH_H
#define FATHOM_RECORD_COMMAND_COMMAND_PATH_H

#include <stddef.h>

/*
 * Writes the path of command @name, with the PATH of this process, to @path of @size bytes. A name
 * with a slash is copied without a check. Returns 0, -ENOENT, -EACCES or -ENAMETOOLONG.
 */
int command_path_find(const char *name, char *path, size_t size);

#endif

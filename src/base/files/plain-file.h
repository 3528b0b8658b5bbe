/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens regular files for reading by untrusted names. A name can refer to anything: opening a
 * device can have side effects (a watchdog starts, a tape rewinds), and opening a pipe blocks. So
 * the name is resolved with O_PATH first and reopened only if it is a regular file.
 *
 * Names below /proc/PID/root belong to that process, which may be in a container: links are
 * resolved in its root directory and cannot leave it.
 */
#ifndef FATHOM_BASE_FILES_PLAIN_FILE_H
#define FATHOM_BASE_FILES_PLAIN_FILE_H

#include <fathom/err.h>
#include <sys/stat.h>

/* Returns the part of @path after "/proc/PID/root/", or NULL if it does not start with that. */
const char *plain_file_in_process(const char *path);
/*
 * Resolves a regular file. Returns an O_PATH descriptor, to be closed, or a negative errno: -EISDIR
 * for a directory, -ELOOP for a symbolic link if @flags is O_NOFOLLOW instead of 0, -ESPIPE for
 * anything else.
 */
int plain_file_find(const char *path, int flags, struct stat *ret_st);
/* Opens the file that plain_file_find() returned. Returns a descriptor or a negative errno. */
int plain_file_open_at(int place);
/* Resolves and opens the file. Returns a descriptor or a negative errno. */
int plain_file_open(const char *path, struct fathom_err *err);

#endif

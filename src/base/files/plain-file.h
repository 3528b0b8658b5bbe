/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens plain files for reading, whoever made their names. A name can be a link to anything: to open a device can have
 * effects (a watchdog begins to count, a tape is rewound), and a pipe waits for a writer. So what has the name is held
 * as a place first, looked at, and opened only if it is a plain file.
 *
 * A name below /proc/PID/root is one of that process, which may be in a container: links in it lead where they lead for
 * the process, and never out of its root.
 */
#ifndef FATHOM_BASE_FILES_PLAIN_FILE_H
#define FATHOM_BASE_FILES_PLAIN_FILE_H

#include <fathom/err.h>
#include <sys/stat.h>

/* What follows "/proc/PID/root/" in @path; NULL if it does not begin so. */
const char *plain_file_in_process(const char *path);
/*
 * The place of a plain file, to be closed, or a negative errno: -EISDIR for a directory, -ELOOP for a symbolic link if
 * @flags is O_NOFOLLOW and not 0, -ESPIPE for all else.
 */
int plain_file_find(const char *path, int flags, struct stat *ret_st);
/* Opens what is at such a place. A descriptor or a negative errno. */
int plain_file_open_at(int place);
/* Both. */
int plain_file_open(const char *path, struct fathom_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads and writes small files in one go. Paths are relative to @dirfd as in openat(2). Made for
 * proc, sysfs and tracefs, whose files have no size and expect a single write. Functions return 0
 * or a negative errno.
 */
#ifndef FATHOM_BASE_FILES_FILE_H
#define FATHOM_BASE_FILES_FILE_H

#include <stddef.h>

#include "base/strbuf.h"

/* The size limit of file_read(); larger files are -EFBIG. */
#define FILE_READ_MAX ((size_t)256 << 20)

/* Appends the contents of the file to @buf. */
int file_read(int dirfd, const char *path, struct strbuf *buf);
/* The same for an open file, from its current offset. */
int file_read_open(int fd, struct strbuf *buf);
/*
 * Reads the first line, without its newline and truncated to @size - 1 bytes, into @line. Returns
 * its length.
 */
int file_read_line(int dirfd, const char *path, char *line, size_t size);
/* Writes @text with a single write(2). @flags are added to O_WRONLY. */
int file_write(int dirfd, const char *path, int flags, const char *text);
/*
 * The same for files that consume a part of each write and expect the rest in another, such as the
 * lists of tracefs, which take a word at a time. For an empty @text the file is opened and closed:
 * enough for O_TRUNC.
 */
int file_write_all(int dirfd, const char *path, int flags, const char *text);
/* Writes all of @bytes to an open file, in as many writes as needed. */
int file_write_bytes(int fd, const void *bytes, size_t size);

#endif

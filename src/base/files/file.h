/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Small files as a whole. Paths are relative to @dirfd as in openat(2). Written
 * for proc, sysfs and tracefs, whose files have no size and want one write.
 */
#ifndef FATHOM_BASE_FILES_FILE_H
#define FATHOM_BASE_FILES_FILE_H

#include <stddef.h>

#include "base/strbuf.h"

/* What a small kernel file may hold at the most; more is -EFBIG. */
#define FILE_READ_MAX ((size_t)256 << 20)

/* Appends the file's bytes to @buf. 0 or a negative errno. */
int file_read(int dirfd, const char *path, struct strbuf *buf);
/* The same for an open file, from where it is read next. */
int file_read_open(int fd, struct strbuf *buf);
/* Reads at most @size - 1 bytes of the first line, without its newline, into @line. Its length. */
int file_read_line(int dirfd, const char *path, char *line, size_t size);
/* Writes @text with a single write(2), @flags added to O_WRONLY. 0 or a negative errno. */
int file_write(int dirfd, const char *path, int flags, const char *text);
/*
 * The same for files that take what they like of each write and want the rest again (tracefs'
 * lists take one word at a time). An empty @text opens and closes, which is enough for O_TRUNC.
 */
int file_write_all(int dirfd, const char *path, int flags, const char *text);
/* All of @bytes, to an open file, in as many writes as it takes. 0 or a negative errno. */
int file_write_bytes(int fd, const void *bytes, size_t size);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/negative-errno.h"

/* tracefs hands out at most a page per read; larger blocks help elsewhere. */
#define BLOCK ((size_t)64 << 10)

static ssize_t read_some(int fd, void *p, size_t size)
{
	ssize_t n;

	do
		n = read(fd, p, size);
	while (n < 0 && errno == EINTR);
	return n;
}

int file_read_open(int fd, struct strbuf *buf)
{
	size_t start = buf->len;

	for (;;) {
		char *at = strbuf_room(buf, BLOCK);
		ssize_t n;

		if (!at)
			return -ENOMEM;
		n = read_some(fd, at, BLOCK);
		if (n < 0)
			return negative_errno();
		buf->len += (size_t)n;
		buf->s[buf->len] = '\0';
		if (n == 0)
			return 0;
		if (buf->len - start > FILE_READ_MAX)
			return -EFBIG;
	}
}

int file_read(int dirfd, const char *path, struct strbuf *buf)
{
	_cleanup_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? negative_errno() : file_read_open(fd, buf);
}

int file_read_line(int dirfd, const char *path, char *line, size_t size)
{
	_cleanup_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;

	if (fd < 0)
		return negative_errno();
	while (len + 1 < size) {
		ssize_t n = read_some(fd, line + len, size - 1 - len);

		if (n < 0)
			return negative_errno();
		if (n == 0)
			break;
		len += (size_t)n;
		if (memchr(line, '\n', len))
			break;
	}
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return (int)strlen(line);
}

int file_write(int dirfd, const char *path, int flags, const char *text)
{
	_cleanup_close_ int fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC | flags);
	size_t len = strlen(text);
	ssize_t n;

	if (fd < 0)
		return negative_errno();
	do
		n = write(fd, text, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return negative_errno();
	return (size_t)n == len ? 0 : -EIO;
}

int file_write_bytes(int fd, const void *bytes, size_t size)
{
	const char *from = bytes;

	while (size) {
		ssize_t n = write(fd, from, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? negative_errno() : -EIO;
		from += n;
		size -= (size_t)n;
	}
	return 0;
}

int file_write_all(int dirfd, const char *path, int flags, const char *text)
{
	_cleanup_close_ int fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC | flags);

	return fd < 0 ? negative_errno() : file_write_bytes(fd, text, strlen(text));
}

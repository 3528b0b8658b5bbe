/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/printable.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define ESCAPE 0x1b
/* "\x1b" */
#define SHOWN_SIZE 4

int printable_write_raw(int fd, const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(fd, s, len);

		if (n >= 0) {
			s += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			struct pollfd ready = { .fd = fd, .events = POLLOUT };

			poll(&ready, 1, -1);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

/* What is written next, gathered to few writes. */
struct gather {
	int fd;
	int err;
	size_t n;
	char bytes[4096];
};

static void gather_flush(struct gather *gather)
{
	if (!gather->err)
		gather->err = printable_write_raw(gather->fd, gather->bytes, gather->n);
	gather->n = 0;
}

static void gather_add(struct gather *gather, const char *s, size_t len)
{
	while (len) {
		size_t room = sizeof(gather->bytes) - gather->n;
		size_t n = len < room ? len : room;

		memcpy(gather->bytes + gather->n, s, n);
		gather->n += n;
		if (gather->n == sizeof(gather->bytes))
			gather_flush(gather);
		s += n;
		len -= n;
	}
}

/* How many bytes the character of UTF-8 at @s has; 0: it is none, or one that is a command. */
static size_t utf8_char(const unsigned char *s, size_t len)
{
	size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	uint32_t c = s[0] & (0x7fU >> n);

	if (s[0] < 0xc2 || s[0] > 0xf4 || len < n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	/* Too long for what it is, half of a pair of UTF-16, or beyond the last character. */
	if ((n == 3 && c < 0x800) || (n == 4 && c < 0x10000) || (c >= 0xd800 && c < 0xe000) ||
	    c > 0x10ffff)
		return 0;
	return c < 0xa0 ? 0 : n;
}

static size_t allowed_sequence(const struct printable *printable, const char *s, size_t len)
{
	for (size_t i = 0; i < printable->n_allowed; i++) {
		size_t n = strlen(printable->allowed[i]);

		if (n <= len && memcmp(s, printable->allowed[i], n) == 0)
			return n;
	}
	return 0;
}

static bool is_plain(unsigned char c)
{
	return (c >= ' ' && c < 0x7f) || c == '\n' || c == '\t';
}

/* How many bytes at @s belong together and may pass. */
static size_t passes(const struct printable *printable, const char *s, size_t len)
{
	unsigned char c = (unsigned char)*s;

	if (is_plain(c))
		return 1;
	if (c == ESCAPE)
		return allowed_sequence(printable, s, len);
	if (c < 0x80)
		return 0;
	return printable->utf8 ? utf8_char((const unsigned char *)s, len) : c >= 0xa0;
}

int printable_write(const struct printable *printable, const char *s, size_t len)
{
	struct gather gather;
	const char *start = s, *end = s + len;

	gather.fd = printable->fd;
	gather.err = 0;
	gather.n = 0;
	while (s < end) {
		size_t n = passes(printable, s, (size_t)(end - s));
		char shown[SHOWN_SIZE + 1];

		if (n) {
			s += n;
			continue;
		}
		gather_add(&gather, start, (size_t)(s - start));
		(void)snprintf(shown, sizeof(shown), "\\x%02x", (unsigned char)*s);
		gather_add(&gather, shown, SHOWN_SIZE);
		start = ++s;
	}
	gather_add(&gather, start, (size_t)(s - start));
	gather_flush(&gather);
	return gather.err;
}

static ssize_t on_write(void *cookie, const char *s, size_t len)
{
	int r = printable_write(cookie, s, len);

	if (r == 0)
		return (ssize_t)len;
	errno = -r;
	return 0;
}

FILE *printable_open(struct printable *printable)
{
	FILE *stream = fopencookie(printable, "w", (cookie_io_functions_t){ .write = on_write });

	if (stream)
		(void)setvbuf(stream, NULL, _IOLBF, 0);
	return stream;
}

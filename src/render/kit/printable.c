/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/printable.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/negative-errno.h"
#include "base/quote.h"

#define ESCAPE 0x1b

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
			return negative_errno();
		}
	}
	return 0;
}

/* Collects output into few write(2) calls. */
struct gather {
	int fd;
	int err;
	size_t n;
	char bytes[16384];
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

static size_t own_style(const char *s, size_t len)
{
	for (size_t i = 0; i < QUOTE_STYLES; i++) {
		size_t n = strlen(quote_styles[i]);

		if (n <= len && memcmp(s, quote_styles[i], n) == 0)
			return n;
	}
	return 0;
}

int printable_write(const struct printable *printable, const char *s, size_t len)
{
	size_t n = quote_plain_lines(s, len);
	struct gather gather;

	if (n == len)
		return printable_write_raw(printable->fd, s, len);
	gather.fd = printable->fd;
	gather.err = 0;
	gather.n = 0;
	for (;;) {
		char shown[QUOTE_SIZE] = "";

		gather_add(&gather, s, n);
		s += n;
		len -= n;
		if (!len)
			break;
		n = printable->styles && *s == ESCAPE ? own_style(s, len) : 0;
		if (!n)
			n = quote_next(s, len, printable->utf8, shown);
		gather_add(&gather, shown[0] ? shown : s, shown[0] ? strlen(shown) : n);
		s += n;
		len -= n;
		n = quote_plain_lines(s, len);
	}
	gather_flush(&gather);
	return gather.err;
}

static bool begins_style(const char *s, size_t len)
{
	for (size_t i = 0; i < QUOTE_STYLES; i++)
		if (len < strlen(quote_styles[i]) && memcmp(s, quote_styles[i], len) == 0)
			return true;
	return false;
}

/*
 * Returns the number of bytes at the end of @s that begin an incomplete character or escape
 * sequence.
 */
static size_t open_end(const char *s, size_t len)
{
	for (size_t n = 1; n <= len && n < PRINTABLE_HELD; n++) {
		unsigned char c = (unsigned char)s[len - n];

		if (c == ESCAPE)
			return begins_style(s + len - n, n) ? n : 0;
		if (c >= 0xc0)
			return n < (c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2) ? n : 0;
	}
	return 0;
}

/* stdio may split the output anywhere, even inside a character. */
static ssize_t printable_on_write(void *cookie, const char *s, size_t len)
{
	struct printable *printable = cookie;
	size_t taken = 0, end;
	int r = 0;

	/* Complete the held bytes one by one; there are at most PRINTABLE_HELD. */
	while (r == 0 && printable->n_held && taken < len) {
		printable->held[printable->n_held++] = s[taken++];
		if (open_end(printable->held, printable->n_held))
			continue;
		r = printable_write(printable, printable->held, printable->n_held);
		printable->n_held = 0;
	}
	end = open_end(s + taken, len - taken);
	if (r == 0)
		r = printable_write(printable, s + taken, len - taken - end);
	if (r < 0) {
		errno = -r;
		return 0;
	}
	if (end) {
		memcpy(printable->held, s + len - end, end);
		printable->n_held = end;
	}
	return (ssize_t)len;
}

static int on_close(void *cookie)
{
	struct printable *printable = cookie;
	int r = printable_write(printable, printable->held, printable->n_held);

	printable->n_held = 0;
	if (r == 0)
		return 0;
	errno = -r;
	return -1;
}

FILE *printable_open(struct printable *printable)
{
	FILE *stream = fopencookie(printable, "w",
				   (cookie_io_functions_t){ .write = printable_on_write,
							    .close = on_close });

	if (stream)
		(void)setvbuf(stream, NULL, _IOLBF, 0);
	return stream;
}

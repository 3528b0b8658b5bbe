/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A growing string. A zero-initialized buffer is empty. If memory is exhausted, @err is set and
 * further additions do nothing, so that a caller checks once, at the end.
 */
#ifndef FATHOM_BASE_STRBUF_H
#define FATHOM_BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
	char *s; /* NUL-terminated, or NULL while nothing was added */
	size_t len;
	size_t cap;
	int err; /* 0 or -ENOMEM */
};

void strbuf_add(struct strbuf *buf, const void *bytes, size_t len);
void strbuf_adds(struct strbuf *buf, const char *s);
void strbuf_addc(struct strbuf *buf, char c);
void strbuf_addf(struct strbuf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *buf, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Adds @c @n times. */
void strbuf_pad(struct strbuf *buf, char c, size_t n);
/* Makes room for @len more bytes and returns a pointer to them, or NULL if memory is exhausted. */
char *strbuf_room(struct strbuf *buf, size_t len);
/* Returns the contents, never NULL. Valid until the next addition. */
const char *strbuf_str(const struct strbuf *buf);
/* Empties the buffer and clears @err, without freeing memory. */
void strbuf_clear(struct strbuf *buf);
/*
 * Transfers the string to the caller, who frees it, and empties the buffer. Returns NULL if @err is
 * set.
 */
char *strbuf_take(struct strbuf *buf);
void strbuf_done(struct strbuf *buf);

#define _cleanup_strbuf_ __attribute__((cleanup(strbuf_done)))

#endif

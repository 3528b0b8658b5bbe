/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/strbuf.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

char *strbuf_room(struct strbuf *buf, size_t len)
{
	if (buf->err)
		return NULL;
	if (len >= SIZE_MAX - buf->len || mem_reserve(&buf->s, &buf->cap, buf->len + len + 1, 1)) {
		buf->err = -ENOMEM;
		return NULL;
	}
	return buf->s + buf->len;
}

void strbuf_add(struct strbuf *buf, const void *bytes, size_t len)
{
	char *at = strbuf_room(buf, len);

	if (!at)
		return;
	if (len)
		memcpy(at, bytes, len);
	buf->len += len;
	buf->s[buf->len] = '\0';
}

void strbuf_adds(struct strbuf *buf, const char *s)
{
	strbuf_add(buf, s, strlen(s));
}

void strbuf_addc(struct strbuf *buf, char c)
{
	strbuf_add(buf, &c, 1);
}

void strbuf_pad(struct strbuf *buf, char c, size_t n)
{
	char *at = strbuf_room(buf, n);

	if (!at)
		return;
	memset(at, c, n);
	buf->len += n;
	buf->s[buf->len] = '\0';
}

void strbuf_vaddf(struct strbuf *buf, const char *fmt, va_list ap)
{
	va_list again;
	char *at;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	at = n >= 0 ? strbuf_room(buf, (size_t)n) : NULL;
	if (!at)
		return;
	vsnprintf(at, (size_t)n + 1, fmt, ap);
	buf->len += (size_t)n;
}

void strbuf_addf(struct strbuf *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(buf, fmt, ap);
	va_end(ap);
}

const char *strbuf_str(const struct strbuf *buf)
{
	return buf->s ?: "";
}

void strbuf_clear(struct strbuf *buf)
{
	buf->len = 0;
	buf->err = 0;
	if (buf->s)
		buf->s[0] = '\0';
}

char *strbuf_take(struct strbuf *buf)
{
	char *s = NULL;

	if (strbuf_room(buf, 0)) {
		s = buf->s;
		s[buf->len] = '\0';
		buf->s = NULL;
	}
	strbuf_done(buf);
	return s;
}

void strbuf_done(struct strbuf *buf)
{
	free(buf->s);
	memset(buf, 0, sizeof(*buf));
}

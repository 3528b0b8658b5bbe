/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Owns the text of errors. A message that does not fit is cut, never dropped;
 * nothing here allocates, so that running out of memory can be reported too.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef err_set
#undef err_set_at
#undef err_nomem

/* Messages quote what is in files, and are shown on terminals: what one obeys is replaced. */
static void make_printable(char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s, next = (unsigned char)s[1];

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
			*s = '?';
		else if (c == 0xc2 && next >= 0x80 && next < 0xa0) /* the same in UTF-8 */
			s[0] = s[1] = '?';
	}
}

static void fill(struct fathom_err *err, int code, const char *fmt, va_list ap)
{
	err->code = code;
	err->at_offset = 0;
	err->offset = 0;
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	make_printable(err->message);
}

int err_set(struct fathom_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	fill(err, code, fmt, ap);
	va_end(ap);
	return code;
}

int err_set_at(struct fathom_err *err, int code, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	fill(err, code, fmt, ap);
	va_end(ap);
	err->offset = offset;
	err->at_offset = 1;
	return code;
}

int err_set_errno(struct fathom_err *err, int code, const char *fmt, ...)
{
	char text[128];
	va_list ap;
	size_t len;

	if (!err)
		return code;
	va_start(ap, fmt);
	fill(err, code, fmt, ap);
	va_end(ap);
	len = strlen(err->message);
	snprintf(err->message + len, sizeof(err->message) - len, ": %s",
		 strerror_r(-code, text, sizeof(text)));
	return code;
}

int err_prefix(struct fathom_err *err, const char *fmt, ...)
{
	char old[FATHOM_ERR_MESSAGE_SIZE];
	va_list ap;
	size_t len;

	if (!err)
		return 0;
	memcpy(old, fathom_err_text(err), strlen(fathom_err_text(err)) + 1);
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	make_printable(err->message);
	len = strlen(err->message);
	snprintf(err->message + len, sizeof(err->message) - len, ": %s", old);
	return err->code;
}

int err_nomem(struct fathom_err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

void fathom_err_reset(struct fathom_err *err)
{
	memset(err, 0, sizeof(*err));
}

const char *fathom_err_text(const struct fathom_err *err)
{
	if (err->message[0])
		return err->message;
	return strerrordesc_np(-err->code) ?: "unknown error";
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Owns the text of errors. Messages that are too long are truncated, never dropped. Nothing here
 * allocates, so that running out of memory can also be reported. Messages contain names from files
 * and command lines, which are quoted.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"

#undef err_set
#undef err_set_at
#undef err_set_errno
#undef err_nomem

static void err_fill(struct fathom_err *err, int code, const char *fmt, va_list ap)
{
	err->code = code;
	err->at_offset = 0;
	err->offset = 0;
	quote_vformat(err->message, sizeof(err->message), fmt, ap);
}

int err_set(struct fathom_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	err_fill(err, code, fmt, ap);
	va_end(ap);
	return code;
}

int err_set_at(struct fathom_err *err, int code, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	err_fill(err, code, fmt, ap);
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
	err_fill(err, code, fmt, ap);
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
	quote_vformat(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
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

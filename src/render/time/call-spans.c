/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/time/call-spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/files/unnamed-file.h"
#include "base/negative-errno.h"

/*
 * Most calls end before this many others have begun. When the window is full, half of it is
 * written.
 */
#define WINDOW 16384

int call_spans_failed(int code, struct fathom_err *err)
{
	if (code == -ENOMEM)
		return err_nomem(err);
	return code ? err_set_errno(err, code, "cannot keep calls in a temporary file") : 0;
}

int call_spans_open(struct call_spans *spans, struct fathom_err *err)
{
	int fd = unnamed_file_open(err);

	if (fd < 0)
		return fd;
	*spans = (struct call_spans){ .fd = fd };
	return 0;
}

void call_spans_done(struct call_spans *spans)
{
	if (spans->fd >= 0)
		close(spans->fd);
	free(spans->window);
	*spans = (struct call_spans)CALL_SPANS_NONE;
}

static void write_spans(struct call_spans *spans, uint64_t number, const struct call_span *list,
			size_t n)
{
	const char *bytes = (const char *)list;
	size_t len = n * sizeof(*list);
	uint64_t at = number * sizeof(*list);

	while (len && !spans->err) {
		ssize_t written = pwrite(spans->fd, bytes, len, (off_t)at);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			spans->err = written < 0 ? negative_errno() : -EIO;
			return;
		}
		bytes += written;
		at += (uint64_t)written;
		len -= (size_t)written;
	}
}

uint64_t call_spans_add(struct call_spans *spans)
{
	if (!spans->window)
		spans->window = mem_zalloc(WINDOW, sizeof(*spans->window));
	if (!spans->window) {
		spans->err = spans->err ?: -ENOMEM;
		return spans->n++;
	}
	if (spans->n - spans->first == WINDOW) {
		write_spans(spans, spans->first, spans->window, WINDOW / 2);
		memmove(spans->window, spans->window + WINDOW / 2,
			WINDOW / 2 * sizeof(*spans->window));
		spans->first += WINDOW / 2;
	}
	spans->window[spans->n - spans->first] = (struct call_span){ 0 };
	return spans->n++;
}

void call_spans_set(struct call_spans *spans, uint64_t number, const struct call_span *span)
{
	if (spans->err)
		return;
	if (number >= spans->first)
		spans->window[number - spans->first] = *span;
	else
		write_spans(spans, number, span, 1);
}

void call_spans_rewind(struct call_spans *spans)
{
	if (spans->window)
		write_spans(spans, spans->first, spans->window, (size_t)(spans->n - spans->first));
	spans->end = spans->n;
	spans->n = spans->first = 0;
	spans->loaded = 0;
}

static void call_spans_load(struct call_spans *spans)
{
	size_t len = 0, wanted = WINDOW * sizeof(*spans->window);

	spans->first += spans->loaded;
	spans->loaded = 0;
	while (len < wanted) {
		ssize_t r = pread(spans->fd, (char *)spans->window + len, wanted - len,
				  (off_t)(spans->first * sizeof(*spans->window) + len));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			spans->err = negative_errno();
		if (r <= 0)
			break;
		len += (size_t)r;
	}
	spans->loaded = len / sizeof(*spans->window);
}

struct call_span call_spans_next(struct call_spans *spans)
{
	const struct call_span hidden = { 0 };

	if (spans->err || spans->n >= spans->end)
		return hidden;
	if (spans->n == spans->first + spans->loaded)
		call_spans_load(spans);
	if (spans->n == spans->first + spans->loaded)
		return hidden;
	return spans->window[spans->n++ - spans->first];
}

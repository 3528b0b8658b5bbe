/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/progress.h"

#include <stdarg.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/quote.h"

#define TERMINAL_INTERVAL UINT64_C(100000000)
#define PLAIN_INTERVAL	  UINT64_C(10000000000)

static uint64_t progress_monotonic(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static uint64_t interval(const struct progress *progress)
{
	return progress->terminal ? TERMINAL_INTERVAL : PLAIN_INTERVAL;
}

void progress_init(struct progress *progress, FILE *stream)
{
	int fd = fileno(stream);

	*progress = (struct progress){ .stream = stream, .now = progress_monotonic };
	progress->terminal = fd >= 0 && isatty(fd);
	progress->next = progress_monotonic() + interval(progress);
}

bool progress_due(const struct progress *progress)
{
	return progress->now() >= progress->next;
}

void progress_update(struct progress *progress, const char *fmt, ...)
{
	va_list ap;

	if (!progress_due(progress))
		return;
	progress->next = progress->now() + interval(progress);
	if (progress->terminal)
		fputs("\r\033[K", progress->stream);
	va_start(ap, fmt);
	quote_vprintf(progress->stream, fmt, ap);
	va_end(ap);
	if (!progress->terminal)
		fputc('\n', progress->stream);
	fflush(progress->stream);
	progress->shown = progress->terminal;
}

void progress_finish(struct progress *progress)
{
	if (progress->shown) {
		fputs("\r\033[K", progress->stream);
		fflush(progress->stream);
	}
	progress->shown = false;
}

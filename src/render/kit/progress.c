/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/progress.h"

#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/quote.h"

#define SECOND	     UINT64_C(1000000000)
#define INTERVAL     (SECOND / 4)
#define LOG_INTERVAL (SECOND / 10)
#define LOG_PLAIN    (10 * SECOND)
#define ERASE	     "\r\033[K"
#define TEXT_SIZE    512

static uint64_t progress_monotonic(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

void progress_init(struct progress *progress, FILE *stream)
{
	int fd = fileno(stream);
	struct winsize size;

	*progress = (struct progress){ .stream = stream, .now = progress_monotonic };
	progress->terminal = fd >= 0 && isatty(fd);
	if (!progress->terminal)
		return;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0)
		progress->columns = size.ws_col;
	progress->interval = INTERVAL;
	progress->next = progress_monotonic() + SECOND;
}

void progress_init_log(struct progress *progress, FILE *stream)
{
	progress_init(progress, stream);
	progress->interval = progress->terminal ? LOG_INTERVAL : LOG_PLAIN;
	progress->next = progress_monotonic() + progress->interval;
}

bool progress_due(const struct progress *progress)
{
	return progress->interval && progress->now() >= progress->next;
}

/* Returns how many bytes of @text fit. The last column stays free: some terminals wrap when it is written. */
static int progress_fitting(const struct progress *progress, const char *text)
{
	size_t len = strlen(text), n = 0, column = 0;

	while (n < len) {
		size_t columns, step = quote_glyph(text + n, len - n, &columns);

		column += columns;
		if (progress->columns && column >= progress->columns)
			break;
		n += step;
	}
	return (int)n;
}

void progress_update(struct progress *progress, const char *fmt, ...)
{
	char text[TEXT_SIZE];
	va_list ap;

	if (!progress_due(progress))
		return;
	progress->next = progress->now() + progress->interval;
	va_start(ap, fmt);
	quote_vformat(text, sizeof(text), fmt, ap);
	va_end(ap);
	quote_printf(progress->stream, progress->terminal ? ERASE "%.*s" : "%.*s\n",
		     progress_fitting(progress, text), text);
	fflush(progress->stream);
	progress->shown = progress->terminal;
}

void progress_finish(struct progress *progress)
{
	if (progress->shown) {
		quote_printf(progress->stream, ERASE);
		fflush(progress->stream);
	}
	progress->shown = false;
}

void progress_erase(FILE *stream)
{
	struct progress progress;

	progress_init(&progress, stream);
	progress.shown = progress.terminal;
	progress_finish(&progress);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/kit/out.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/negative-errno.h"
#include "process/helper-process.h"
#include "process/pager.h"
#include "base/quote.h"
#include "base/str.h"

#define DEFAULT_WIDTH 80
#define WIDTH_MIN     20
#define WIDTH_MAX     10000

static bool color_wanted(bool terminal)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (no_color && *no_color)
		return false;
	return terminal && term && !str_eq(term, "dumb");
}

/* Returns the width of the terminal, or that of COLUMNS; 0: it is unknown. */
static unsigned known_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned long n;

	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	n = columns ? strtoul(columns, NULL, 10) : 0;
	return n >= WIDTH_MIN && n <= WIDTH_MAX ? (unsigned)n : 0;
}

/* The output is also filtered for files and pipes, because it may end up on a terminal later. */
static FILE *open_printable(struct out *out, int fd)
{
	out->printable = (struct printable){ .fd = fd, .utf8 = out->utf8, .styles = out->color };
	return printable_open(&out->printable);
}

/* The stream refers to @out->printable, so it must not outlive @out. */
static void close_printable(struct out *out)
{
	if (!out->is_printable)
		return;
	fclose(out->stream);
	out->stream = stdout;
	out->is_printable = false;
}

void out_init(struct out *out, FILE *stream, enum out_color color)
{
	int fd = fileno(stream);
	FILE *safe;

	memset(out, 0, sizeof(*out));
	out->stream = stream;
	out->fd = fd;
	out->asked = color;
	out->terminal = fd >= 0 && isatty(fd);
	out->color = color == OUT_COLOR_AUTO ? color_wanted(out->terminal) :
					       color == OUT_COLOR_ALWAYS;
	out->utf8 = quote_locale_utf8();
	out->width = known_width(fd);
	out->cuts = out->width > 0;
	out->width = out->width ?: DEFAULT_WIDTH;
	if (fd < 0)
		return;
	safe = open_printable(out, fd);
	if (!safe)
		return;
	out->stream = safe;
	out->is_printable = true;
	/* Keep stderr line-buffered, because messages must appear at once. */
	if (!out->terminal && fd != STDERR_FILENO)
		(void)setvbuf(safe, NULL, _IOFBF, 0);
}

static const char *pager_command(void)
{
	static const char *const names[] = { "FATHOM_PAGER", "PAGER" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value)
			return value;
	}
	return "command -v less >/dev/null || exec cat; exec less";
}

void out_start_pager(struct out *out)
{
	const char *command = pager_command();
	FILE *stream;
	int ends[2];
	pid_t pid;

	if (!out->terminal || out->pager || !*command || str_eq(command, "cat"))
		return;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	stream = open_printable(out, ends[1]);
	pid = stream ? fork() : -1;
	if (pid == 0) {
		close(ends[1]);
		pager_serve(command, ends[0]);
	}
	close(ends[0]);
	if (pid < 0) {
		out->printable.fd = out->fd;
		if (stream)
			fclose(stream);
		close(ends[1]);
		return;
	}
	close_printable(out);
	out->pager = pid;
	out->fd = ends[1];
	out->stream = stream;
	out->is_printable = true;
	/* If the user quits the pager, writes fail with EPIPE instead of killing us. */
	signal(SIGPIPE, SIG_IGN);
}

int out_finish(struct out *out)
{
	int r = fflush(out->stream) != 0 ? negative_errno() : ferror(out->stream) ? -EIO : 0;
	int status;

	close_printable(out);
	if (!out->pager)
		return r;
	close(out->fd);
	helper_process_reap(out->pager, -1, &status);
	out->pager = 0;
	return 0;
}

const char *out_style(const struct out *out, enum out_style style)
{
	return out->color ? quote_styles[style] : "";
}

const char *out_ellipsis(const struct out *out)
{
	return out->utf8 ? "\u2026" : "...";
}

void out_printf(struct out *out, enum out_style style, const char *fmt, ...)
{
	bool styled = style != OUT_PLAIN && out->color;
	va_list ap;

	if (styled)
		fputs(quote_styles[style], out->stream);
	va_start(ap, fmt);
	quote_vprintf(out->stream, fmt, ap);
	va_end(ap);
	if (styled)
		fputs(quote_styles[OUT_PLAIN], out->stream);
}

int out_put(FILE *stream, struct strbuf *buf)
{
	int r = buf->err;

	fwrite(strbuf_str(buf), 1, buf->len, stream);
	strbuf_clear(buf);
	return r;
}

int out_write(const struct out *out, struct strbuf *buf)
{
	return out_put(out->stream, buf);
}

/* Returns the length of the part of @text that fits in @room columns, at least one character. */
static size_t out_fitting(const char *text, size_t len, size_t room, size_t *ret_columns)
{
	size_t n = 0, columns;

	*ret_columns = 0;
	while (n < len) {
		size_t step = quote_glyph(text + n, len - n, &columns);

		if (n && *ret_columns + columns > room)
			break;
		n += step;
		*ret_columns += columns;
	}
	return n;
}

void out_wrap(struct out *out, unsigned at, unsigned indent, const char *text)
{
	size_t column = at, width = out->width, columns;
	bool first = true;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t len = strcspn(text, " ");

		columns = quote_columns_of(text, len);
		if ((!first && column + 1 + columns > width) ||
		    (first && column > indent && column + columns > width)) {
			quote_printf(out->stream, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			fputc(' ', out->stream);
			column++;
		}
		/* A word longer than a line is broken. */
		while (out->cuts && column + columns > width && width > indent) {
			size_t n = out_fitting(text, len, width > column ? width - column : 1,
					       &columns);

			if (n == len)
				break;
			quote_printf(out->stream, "%.*s\n%*s", (int)n, text, (int)indent, "");
			text += n;
			len -= n;
			column = indent;
			columns = quote_columns_of(text, len);
		}
		quote_printf(out->stream, "%.*s", (int)len, text);
		column += columns;
		text += len;
		first = false;
	}
	fputc('\n', out->stream);
}

int out_write_wrapped(struct out *out, struct strbuf *buf)
{
	char *s = buf->s, *end;
	int r = buf->err;

	for (; buf->len && (end = strchr(s, '\n')) != NULL; s = end + 1) {
		*end = '\0';
		out_wrap(out, 0, 0, s);
	}
	strbuf_clear(buf);
	return r;
}

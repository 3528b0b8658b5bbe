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
#include "process/caller-enter.h"
#include "process/helper-process.h"
#include "base/quote.h"
#include "base/str.h"

#define DEFAULT_WIDTH 80

static bool color_wanted(bool terminal)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (no_color && *no_color)
		return false;
	return terminal && term && !str_eq(term, "dumb");
}

static unsigned terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	unsigned long n;

	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	n = columns ? strtoul(columns, NULL, 10) : 0;
	return n >= 20 && n <= 10000 ? (unsigned)n : DEFAULT_WIDTH;
}

/* The output is filtered for files and pipes as well: it may end up on a terminal later. */
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
	out->width = terminal_width(fd);
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
	return "less";
}

static void exec_pager(const char *command, int input)
{
	if (dup2(input, STDIN_FILENO) < 0)
		_exit(127);
	/* Quit if the text fits on one screen, keep colours, leave the text on the screen. */
	setenv("LESS", "FRX", 0);
	if (caller_enter() < 0)
		_exit(127);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
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
	if (pid == 0)
		exec_pager(command, ends[0]);
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

void out_wrap(struct out *out, unsigned at, unsigned indent, const char *text)
{
	unsigned column = at;
	bool first = true;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		unsigned len = (unsigned)strcspn(text, " ");

		if (!first && column + 1 + len > out->width) {
			quote_printf(out->stream, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			fputc(' ', out->stream);
			column++;
		}
		quote_printf(out->stream, "%.*s", (int)len, text);
		column += len;
		text += len;
		first = false;
	}
	fputc('\n', out->stream);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The output of a command: a stream with or without color, of known width, possibly through a
 * pager. Color and pager are only used on a terminal, unless the user says otherwise. Everything
 * is filtered by printable.h. Not thread-safe.
 */
#ifndef FATHOM_RENDER_KIT_OUT_H
#define FATHOM_RENDER_KIT_OUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/quote.h"
#include "base/strbuf.h"
#include "render/kit/json-document.h"
#include "render/kit/printable.h"

/* The words for enum out_color, in the same order. */
#define OUT_COLORS "auto always never"
enum out_color {
	OUT_COLOR_AUTO, /* on a terminal, unless NO_COLOR is set or TERM is "dumb" */
	OUT_COLOR_ALWAYS,
	OUT_COLOR_NEVER,
};

/*
 * Styles are named by meaning. quote_styles[] has the colours, which people with red-green colour
 * blindness can tell apart.
 */
enum out_style {
	OUT_PLAIN = QUOTE_PLAIN,
	OUT_TITLE = QUOTE_BOLD,
	OUT_FAINT = QUOTE_FAINT,
	OUT_GOOD = QUOTE_GREEN,
	OUT_WARN = QUOTE_YELLOW,
	OUT_BAD = QUOTE_BOLD_RED,
	OUT_NAME = QUOTE_CYAN,
};

struct out {
	FILE *stream;
	struct printable printable; /* the filter of @stream, if @is_printable */
	bool is_printable; /* @stream was opened by out_init(); otherwise it is the caller's */
	int fd; /* the destination of @stream; -1: memory */
	enum out_color asked; /* as passed to out_init() */
	bool color;
	bool terminal;
	bool utf8; /* may write non-ASCII characters */
	unsigned width; /* columns; 80 if unknown */
	bool cuts; /* @width is known: long lines of tables are cut, see fit.h */
	pid_t pager; /* 0: none */
	struct completeness completeness; /* of the answer, for JSON */
};

/*
 * Opens a stream that filters its output and writes to the file of @stream. It refers to @out,
 * which must not be moved until out_finish(). If @stream has no file descriptor (as in memory), or
 * memory is exhausted, @stream is used directly, unfiltered. Starts no process.
 */
void out_init(struct out *out, FILE *stream, enum out_color color);
/*
 * Starts the user's pager ($FATHOM_PAGER, $PAGER, less) if @out is a terminal, and writes to it
 * from now on; text that fits on the terminal is shown without it. Then ignores SIGPIPE, because
 * the user may quit the pager early. Does nothing if the pager cannot be started.
 */
void out_start_pager(struct out *out);
/*
 * Flushes, closes the stream of out_init(), and waits for the pager. Returns 0, or a negative errno
 * if output was lost; with a pager, always 0, because the user may have quit it. Afterwards, @out
 * may only be discarded.
 */
int out_finish(struct out *out);

/*
 * Returns the escape sequence that begins @style, or "" without colour. OUT_PLAIN ends every style.
 */
const char *out_style(const struct out *out, enum out_style style);
/* Returns the mark for truncated text: an ellipsis, or three dots if the locale is not UTF-8. */
const char *out_ellipsis(const struct out *out);
/* As printf(3), in the given style. Arguments of %s are quoted, as in base/quote.h. */
void out_printf(struct out *out, enum out_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Writes the contents of @buf to @stream and clears it. Returns the error of @buf, 0 or -ENOMEM;
 * write errors are left to ferror(3).
 */
int out_put(FILE *stream, struct strbuf *buf);
/* The same, to the stream of @out. */
int out_write(const struct out *out, struct strbuf *buf);
/*
 * Prints text wrapped at the width of @out, and ends the line. The cursor is in column @at; lines
 * after the first are indented by @indent.
 */
void out_wrap(struct out *out, unsigned at, unsigned indent, const char *text);
/* Writes the lines of @buf, each wrapped, and clears it. Returns the error of @buf, 0 or -ENOMEM. */
int out_write_wrapped(struct out *out, struct strbuf *buf);

#endif

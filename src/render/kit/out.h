/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a command's text goes: a stream with or without colour, of a known
 * width, perhaps through a pager. Colour and pager are used on a terminal only,
 * unless the user says otherwise.
 */
#ifndef FATHOM_RENDER_KIT_OUT_H
#define FATHOM_RENDER_KIT_OUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/quote.h"
#include "base/strbuf.h"
#include "render/kit/printable.h"

enum out_color {
	OUT_COLOR_AUTO, /* on a terminal, unless NO_COLOR is set or TERM is "dumb" */
	OUT_COLOR_ALWAYS,
	OUT_COLOR_NEVER,
};

/* Meanings, not colours: the colours are chosen in one place and told apart by red-green blind. */
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
	struct printable printable; /* what @stream writes through */
	bool is_printable; /* ...and was made for; false: it is the caller's, such as memory */
	int fd; /* what @stream writes to in the end; -1: memory */
	enum out_color asked; /* of out_init() */
	bool color;
	bool terminal;
	bool utf8; /* may write more than ASCII */
	unsigned width; /* columns; 80 where there is no terminal */
	pid_t pager; /* 0: none */
};

/*
 * Writes to the file of @stream, by a stream of its own that makes all safe for a terminal, so
 * @out must stay where it is. Where @stream has no file, it is taken as it is. Nothing is started.
 */
void out_init(struct out *out, FILE *stream, enum out_color color);
/*
 * Sends what follows through the user's pager ($FATHOM_PAGER, $PAGER, less),
 * when @out is a terminal. Does nothing when the pager can't be started.
 */
void out_start_pager(struct out *out);
/* Flushes and waits for the pager. A negative errno when text was lost. */
int out_finish(struct out *out);

/* The escape sequence that begins @style; OUT_PLAIN ends every style. "" without colour. */
const char *out_style(const struct out *out, enum out_style style);
/* What %s stands for is quoted, as in base/quote.h. */
void out_printf(struct out *out, enum out_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Writes what is in @buf, which is empty then, to a stream of any kind. 0, or what was wrong with it. */
int out_put(FILE *stream, struct strbuf *buf);
/* Writes what is in @buf, which is empty then. 0, or what was wrong with it: -ENOMEM. */
int out_write(const struct out *out, struct strbuf *buf);
/*
 * Prints words, broken at the width of @out; the first line begins at column
 * @at (where the cursor is), the others are indented by @indent. Ends the line.
 */
void out_wrap(struct out *out, unsigned at, unsigned indent, const char *text);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal; the only file that uses curses. There is one terminal per process, so this has no
 * object. Not thread-safe.
 */
#ifndef FATHOM_TUI_APP_TERM_H
#define FATHOM_TUI_APP_TERM_H

#include <fathom/err.h>

#include "tui/app/app.h"
#include "tui/cells.h"

struct term_options {
	bool no_color;
	bool ascii; /* restrict output to ASCII */
};

/*
 * Takes over the terminal until term_end(). It is also restored if the program crashes or is killed
 * by a signal that can be handled. Returns 0 or a negative errno.
 */
int term_begin(const struct term_options *options, struct fathom_err *err);
void term_end(void);

/* Hands the terminal to another program until term_return(). */
void term_leave(void);
void term_return(void);

void term_size(unsigned *ret_rows, unsigned *ret_cols);
bool term_is_ascii(void);
/* Updates the terminal to show the screen. */
void term_draw(const struct cells *cells);
/* Returns the signal that asks us to exit, such as SIGHUP, or 0. */
int term_ends_by(void);
/*
 * Returns the next key, or TUI_KEY_NONE after @timeout_ms (-1: no limit), and also once
 * term_ends_by() is not 0.
 */
uint32_t term_key(int timeout_ms);
/* Call after TUI_KEY_MOUSE. Returns false if the mouse event is to be ignored. */
bool term_mouse(enum app_mouse *ret_what, unsigned *ret_row, unsigned *ret_col);
/* Copies text to the terminal's clipboard, if it supports that. */
void term_copy(const char *text);

#endif

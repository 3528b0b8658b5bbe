/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal: the one file that knows curses. There is one terminal, so there is one of these. */
#ifndef FATHOM_TUI_APP_TERM_H
#define FATHOM_TUI_APP_TERM_H

#include <fathom/err.h>

#include "tui/app/app.h"
#include "tui/cells.h"
#include "tui/keys.h"

struct term_options {
	bool no_color;
	bool ascii; /* nothing but ASCII, whatever the terminal can do */
};

/* Takes the terminal over; it is given back by term_end(), and when the program is killed or crashes. */
int term_begin(const struct term_options *options, struct fathom_err *err);
void term_end(void);

/* Somebody else has the terminal for a while; term_return() takes it again. */
void term_leave(void);
void term_return(void);

void term_size(unsigned *ret_rows, unsigned *ret_cols);
bool term_is_ascii(void);
/* Brings the screen to the terminal. */
void term_draw(const struct cells *cells);
/* The signal that asks for an end in order, as when the line is cut; 0: none came. */
int term_ends_by(void);
/*
 * The next key; TUI_KEY_NONE after @timeout_ms without one, -1: waits for as long as it takes. Also when
 * term_ends_by() is not 0 any more.
 */
uint32_t term_key(int timeout_ms);
/* After TUI_KEY_MOUSE: what it did, and where. False: nothing that matters. */
bool term_mouse(enum app_mouse *ret_what, unsigned *ret_row, unsigned *ret_col);
/* Gives a text to the clipboard of the terminal, where it has one. */
void term_copy(const char *text);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list with a selected line and a visible page: moving, scrolling and searching, the same in
 * every view. The lines themselves belong to the caller, who passes their number @n in each call,
 * because it changes while views read, fold and unfold.
 */
#ifndef FATHOM_TUI_LINES_H
#define FATHOM_TUI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lines {
	size_t selected;
	size_t top; /* the first visible line */
	unsigned page; /* visible lines, as of the last drawing; 0: never drawn */
};

/*
 * Sets *@ret_by to the number of lines by which a key moves, in a list of @n with pages of @page
 * lines. Returns false if it is another key.
 */
bool lines_key(uint32_t key, int64_t page, size_t n, int64_t *ret_by);

/* Keeps the selected line within the list, and visible. */
void lines_scroll(struct lines *lines, size_t n);
/* Selects line @at, or the last one if there is no such line, and makes it visible. */
void lines_select(struct lines *lines, size_t n, size_t at);
/* Returns the line @by lines below the selected one, or the end of the list in that direction. */
size_t lines_beside(const struct lines *lines, size_t n, int64_t by);
/* Selects the line that lines_beside() returns. */
void lines_move(struct lines *lines, size_t n, int64_t by);
/* Scrolls a list without a selection. The last page is full, if there are enough lines. */
void lines_pan(struct lines *lines, size_t n, int64_t by);
/* Puts the selected line below @above visible lines, if there are as many. Draw or scroll next. */
void lines_place(struct lines *lines, size_t above);

/* Returns the number of the first line below the visible ones. */
size_t lines_end(const struct lines *lines, size_t n);
/* Returns whether a line is visible, and its row, counted from the first visible line. */
bool lines_row(const struct lines *lines, size_t at, unsigned *ret_row);
/*
 * Handles a click on a row, counted from the first visible line: selects the line. Returns true if
 * it was selected before, in which case the click means Enter.
 */
bool lines_click(struct lines *lines, size_t n, unsigned row);

/* Returns the text of a line, or NULL if it cannot be selected. Valid until the next call. */
typedef const char *lines_text(void *data, size_t line);
/*
 * Returns the nearest of @n lines below @from, or above it, whose text contains @text, ignoring
 * case. The search wraps around and tries @from last. Returns SIZE_MAX if no line matches.
 */
size_t lines_find(size_t n, size_t from, bool up, const char *text, lines_text *text_of,
		  void *data);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of which one line is selected and one page is visible: moving, scrolling and searching, the same in every
 * view. The owner has the lines, and passes how many there are (@n) each time, for that changes as views read on,
 * fold and unfold.
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

/* By how many lines a key moves in a list of @n whose page keys move by @page; false: it is not such a key. */
bool lines_key(uint32_t key, int64_t page, size_t n, int64_t *ret_by);

/* Keeps the selected line within the list, and visible. */
void lines_scroll(struct lines *lines, size_t n);
/* Selects a line, the last one if there is none at @at, and makes it visible. */
void lines_select(struct lines *lines, size_t n, size_t at);
/* The line that is @by lines below the selected one, or the end of the list in that direction. */
size_t lines_beside(const struct lines *lines, size_t n, int64_t by);
/* Selects that line. */
void lines_move(struct lines *lines, size_t n, int64_t by);
/* Scrolls a list without a selection; its last page is a full one. */
void lines_pan(struct lines *lines, size_t n, int64_t by);
/* Puts the selected line below @above others, as far as there are any; draw or scroll next. */
void lines_place(struct lines *lines, size_t above);

/* The visible lines end before this one. */
size_t lines_end(const struct lines *lines, size_t n);
/* Is this line visible? If so, the row is counted from the first visible line. */
bool lines_row(const struct lines *lines, size_t at, unsigned *ret_row);
/*
 * A click on this row, counted from the first visible line: selects the line there. True: it was selected before,
 * so the click means Enter.
 */
bool lines_click(struct lines *lines, size_t n, unsigned row);

/* The text of a line; NULL: it cannot be selected. */
typedef const char *lines_text(void *data, size_t line);
/*
 * The nearest of @n lines below @from, or above it, whose text contains @text, ignoring case. The search wraps
 * around; @from is tried last. SIZE_MAX: no line matches.
 */
size_t lines_find(size_t n, size_t from, bool up, const char *text, lines_text *text_of,
		  void *data);

#endif

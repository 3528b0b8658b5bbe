/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of lines of which one is chosen and some are seen: what keys and moving do to it in each view. */
#ifndef FATHOM_TUI_LINES_H
#define FATHOM_TUI_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By how many lines a key moves in a list of @n, of which a screen down is @page; false: it does not. */
bool lines_key(uint32_t key, int64_t page, size_t n, int64_t *ret_by);
/* Keeps the chosen line in a list of @n, and among the @page lines from @top on that are seen. */
void lines_scroll(size_t n, unsigned page, size_t *selected, size_t *top);

/* The text of a line; NULL: it cannot be chosen. */
typedef const char *lines_text(void *data, size_t line);
/*
 * The next of @n lines behind @from, or before it, that has @text in it; round and round, @from comes last. SIZE_MAX:
 * there is none.
 */
size_t lines_find(size_t n, size_t from, bool up, const char *text, lines_text *text_of,
		  void *data);

#endif

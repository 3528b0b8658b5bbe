/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/lines.h"

#include <string.h>

#include "tui/keys.h"

bool lines_key(uint32_t key, int64_t page, size_t n, int64_t *ret_by)
{
	switch (key) {
	case 'j':
	case TUI_KEY_DOWN:
		*ret_by = 1;
		return true;
	case 'k':
	case TUI_KEY_UP:
		*ret_by = -1;
		return true;
	case TUI_KEY_PAGE_DOWN:
	case ' ':
		*ret_by = page;
		return true;
	case TUI_KEY_PAGE_UP:
		*ret_by = -page;
		return true;
	case 'g':
	case TUI_KEY_HOME:
		*ret_by = -(int64_t)n;
		return true;
	case 'G':
	case TUI_KEY_END:
		*ret_by = (int64_t)n;
		return true;
	default:
		return false;
	}
}

static size_t lines_page(const struct lines *lines)
{
	return lines->page ?: 1;
}

void lines_scroll(struct lines *lines, size_t n)
{
	if (lines->selected >= n)
		lines->selected = n ? n - 1 : 0;
	if (lines->top > lines->selected)
		lines->top = lines->selected;
	if (lines->selected - lines->top >= lines_page(lines))
		lines->top = lines->selected - lines_page(lines) + 1;
}

void lines_select(struct lines *lines, size_t n, size_t at)
{
	lines->selected = at;
	lines_scroll(lines, n);
}

/* Returns @at + @by, limited to 0 and @last. */
static size_t lines_step(size_t at, int64_t by, size_t last)
{
	if (by < 0)
		return at > -(uint64_t)by ? at - -(uint64_t)by : 0;
	return at < last && (uint64_t)by < last - at ? at + (uint64_t)by : last;
}

size_t lines_beside(const struct lines *lines, size_t n, int64_t by)
{
	return lines_step(lines->selected, by, n ? n - 1 : 0);
}

void lines_move(struct lines *lines, size_t n, int64_t by)
{
	lines_select(lines, n, lines_beside(lines, n, by));
}

void lines_pan(struct lines *lines, size_t n, int64_t by)
{
	size_t last = n > lines_page(lines) ? n - lines_page(lines) : 0;

	lines->top = lines_step(lines->top, by, last);
	if (lines->top > last)
		lines->top = last;
}

void lines_place(struct lines *lines, size_t above)
{
	lines->top = lines->selected > above ? lines->selected - above : 0;
}

size_t lines_end(const struct lines *lines, size_t n)
{
	return n > lines->top && n - lines->top > lines->page ? lines->top + lines->page : n;
}

bool lines_row(const struct lines *lines, size_t at, unsigned *ret_row)
{
	if (at < lines->top || at - lines->top >= lines->page)
		return false;
	*ret_row = (unsigned)(at - lines->top);
	return true;
}

bool lines_click(struct lines *lines, size_t n, unsigned row)
{
	size_t before = lines->selected;

	if (row >= lines->page || lines->top >= n || row >= n - lines->top)
		return false;
	lines->selected = lines->top + row;
	return lines->selected == before;
}

size_t lines_find(size_t n, size_t from, bool up, const char *text, lines_text *text_of, void *data)
{
	for (size_t i = 1; i <= n; i++) {
		size_t at = (from + (up ? n - i : i)) % n;
		const char *line = text_of(data, at);

		if (line && strcasestr(line, text))
			return at;
	}
	return SIZE_MAX;
}

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

void lines_scroll(size_t n, unsigned page, size_t *selected, size_t *top)
{
	if (*selected >= n)
		*selected = n ? n - 1 : 0;
	if (*top > *selected)
		*top = *selected;
	if (*selected >= *top + page)
		*top = *selected - page + 1;
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

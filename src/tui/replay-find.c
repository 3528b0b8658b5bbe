/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/replay-find.h"

#include <stdio.h>
#include <string.h>

#define NONE REPLAY_LINES_NONE
/* Characters that may follow a name. */
#define BEHIND "(: ="

void replay_find_name(const struct replay_lines *lines, uint32_t line, char ret_name[128])
{
	const char *text = replay_lines_get(lines, lines->lines[line].text);

	snprintf(ret_name, 128, "%.*s", (int)strcspn(text, BEHIND), text);
}

static bool replay_find_fits(const struct replay_lines *lines, uint32_t at,
			     const struct replay_find *what)
{
	const struct replay_line *line = &lines->lines[at];
	const char *text = replay_lines_get(lines, line->text);
	size_t len = strlen(what->text);

	if (line->start < what->from || line->start >= what->to ||
	    (line->start < what->since &&
	     (!line->has_time || line->start + line->total < what->since)))
		return false;
	switch (what->kind) {
	case REPLAY_FIND_FAILED:
		return line->failed;
	case REPLAY_FIND_LONG:
		return line->has_time && line->total >= REPLAY_FIND_SLOW && line->end == at + 1;
	case REPLAY_FIND_SAME:
		return strcspn(text, BEHIND) == len && !strncmp(text, what->text, len);
	default:
		return strcasestr(text, what->text);
	}
}

uint32_t replay_find(const struct replay_lines *lines, const struct replay_find *what,
		     uint32_t line)
{
	bool behind = line == NONE;
	uint32_t found = NONE;

	for (size_t i = 0; i < lines->n_blocks; i++) {
		uint32_t first = lines->blocks[i].first, end = lines->lines[first].end;

		for (uint32_t at = first; at < end; at++) {
			if (at == line && what->up)
				return found;
			if ((what->up || behind) && replay_find_fits(lines, at, what)) {
				found = at;
				if (!what->up)
					return found;
			}
			behind |= at == line;
		}
	}
	return found;
}

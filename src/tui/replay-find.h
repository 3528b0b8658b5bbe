/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches a part of a replay for text, a name, failed calls or slow ones. */
#ifndef FATHOM_TUI_REPLAY_FIND_H
#define FATHOM_TUI_REPLAY_FIND_H

#include "tui/replay-lines.h"

/* A line without children is slow from this duration on, in ns. */
#define REPLAY_FIND_SLOW 1000000

enum replay_find_kind {
	REPLAY_FIND_TEXT, /* contains @text */
	REPLAY_FIND_SAME, /* has the name @text */
	REPLAY_FIND_FAILED,
	REPLAY_FIND_LONG,
};

struct replay_find {
	enum replay_find_kind kind;
	bool up; /* upwards */
	char text[128];
	/* Lines must start in [@from, @to), and end at or after @since, in ns. */
	uint64_t from, to, since;
};

/* Copies the name of a line, for REPLAY_FIND_SAME. */
void replay_find_name(const struct replay_lines *lines, uint32_t line, char ret_name[128]);
/*
 * Returns the next match after @line, or the previous one before it, in chronological order; if
 * @line is REPLAY_LINES_NONE, the first match, or the last one. Returns REPLAY_LINES_NONE if there
 * is none.
 */
uint32_t replay_find(const struct replay_lines *lines, const struct replay_find *what,
		     uint32_t line);

#endif

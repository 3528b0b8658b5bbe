/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks for lines of a piece of a replay: for a text, a name, what failed, what was slow. */
#ifndef FATHOM_TUI_REPLAY_FIND_H
#define FATHOM_TUI_REPLAY_FIND_H

#include "tui/replay-lines.h"

/* What a line is slow from, if nothing that is inside of it is why. */
#define REPLAY_FIND_SLOW 1000000

enum replay_find_kind {
	REPLAY_FIND_TEXT, /* has @text in it */
	REPLAY_FIND_SAME, /* is called @text */
	REPLAY_FIND_FAILED,
	REPLAY_FIND_LONG,
};

struct replay_find {
	enum replay_find_kind kind;
	bool up; /* the last of them, not the first */
	char text[128];
	/* Lines begin in this time, the end not included; and go on at @since, or begin later. */
	uint64_t from, to, since;
};

/* The name of a line, for REPLAY_FIND_SAME. */
void replay_find_name(const struct replay_lines *lines, uint32_t line, char ret_name[128]);
/* The next line behind @line, or before it when that is up, in the order of time; NONE: of all lines. NONE: there is none. */
uint32_t replay_find(const struct replay_lines *lines, const struct replay_find *what,
		     uint32_t line);

#endif

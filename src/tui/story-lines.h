/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A summary as lines, some of which lead to another view. The summary may be unfinished, in which
 * case the lines show what has been read so far. If memory is exhausted, @nomem is set and lines
 * are missing. Not thread-safe.
 */
#ifndef FATHOM_TUI_STORY_LINES_H
#define FATHOM_TUI_STORY_LINES_H

#include "render/command/summary.h"

enum story_way {
	STORY_NOWHERE,
	STORY_REPLAY, /* to a time in the replay */
	STORY_TEXT, /* to the next occurrence of a text */
	STORY_TASK, /* selects a task */
	STORY_SYSCALLS, /* to the list of all */
	STORY_FUNCTIONS,
};

struct story_line {
	uint32_t text; /* offset in @texts */
	uint32_t name, n_name; /* the part of the text with @name_style */
	uint8_t style, name_style;
	enum story_way way;
	bool failed; /* about a failed call */
	uint64_t from, to; /* the time range it is about, in ns */
	int32_t pid; /* the task it is about; -1: none */
};

/* Empty when zero-initialized. Released with story_lines_done(). */
struct story_lines {
	struct story_line *list;
	size_t n, cap;
	struct strbuf texts;
	bool nomem;
};

/*
 * Makes the lines again, for a screen with @cols columns. @finished: summary_finish() has been
 * called. The result does not refer to @summary.
 */
void story_lines_make(struct story_lines *lines, const struct summary *summary,
		      const struct summary_about *about, bool finished, unsigned cols);
const char *story_lines_get(const struct story_lines *lines, uint32_t text);
void story_lines_done(struct story_lines *lines);

#endif

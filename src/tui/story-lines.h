/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A summary as lines of which some lead somewhere. The summary may be one that is still being fed: then
 * what there is so far is told.
 */
#ifndef FATHOM_TUI_STORY_LINES_H
#define FATHOM_TUI_STORY_LINES_H

#include "render/command/summary.h"

enum story_way {
	STORY_NOWHERE,
	STORY_REPLAY, /* to what happened at a time */
	STORY_TEXT, /* to where a text is */
	STORY_TASK, /* only a task is to be shown */
	STORY_SYSCALLS, /* all of them */
	STORY_FUNCTIONS,
};

struct story_line {
	uint32_t text; /* in @texts */
	uint32_t name, n_name; /* the part of the text with a style of its own */
	uint8_t style, name_style;
	enum story_way way;
	bool failed; /* it is about a call that failed */
	uint64_t from, to; /* when it happened */
	int32_t pid; /* whose it was; -1: nobody's */
};

/* Zero-initialised is empty. */
struct story_lines {
	struct story_line *list;
	size_t n, cap;
	struct strbuf texts;
	bool nomem;
};

/* Makes the lines anew, @cols wide where that can be. @finished: summary_finish() has been called. */
void story_lines_make(struct story_lines *lines, const struct summary *summary,
		      const struct summary_about *about, bool finished, unsigned cols);
const char *story_lines_get(const struct story_lines *lines, uint32_t text);
void story_lines_done(struct story_lines *lines);

#endif

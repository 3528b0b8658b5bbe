/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A piece of what tasks did, as lines that can be folded: the trees of a replay, in the order of time. It
 * has at most REPLAY_LINES_MAX lines, and is told when it is full.
 */
#ifndef FATHOM_TUI_REPLAY_LINES_H
#define FATHOM_TUI_REPLAY_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

#define REPLAY_LINES_MAX  10000
#define REPLAY_LINES_NONE UINT32_MAX

struct replay_line {
	uint32_t parent; /* a line; NONE: it is outermost */
	uint32_t end; /* the line behind all that is inside of it */
	uint32_t text, remarks; /* in @texts */
	int32_t pid;
	uint32_t cpu; /* where it began */
	uint16_t level;
	uint8_t style; /* of the text */
	bool folded; /* if there is something inside */
	bool has_time; /* @total is known */
	bool failed;
	uint64_t start, total, stolen, asleep;
};

/* A tree, which is whole. */
struct replay_block {
	uint64_t start;
	uint32_t first; /* its line */
};

/* Zero-initialised is empty. */
struct replay_lines {
	struct replay_line *lines;
	size_t n, cap;
	struct replay_block *blocks;
	size_t n_blocks, cap_blocks;
	uint32_t *shown; /* lines that are seen, from above; all but what is folded away */
	size_t n_shown, cap_shown;
	struct strbuf texts;
	bool nomem;
};

void replay_lines_clear(struct replay_lines *lines);
void replay_lines_done(struct replay_lines *lines);

/* A new line behind all others, inside of @parent; NULL without memory. Its @end is the line behind it. */
struct replay_line *replay_lines_add(struct replay_lines *lines, uint32_t parent);
/* Keeps a text; its place. */
uint32_t replay_lines_text(struct replay_lines *lines, const char *text);
const char *replay_lines_get(const struct replay_lines *lines, uint32_t text);
/* All lines since the last block are one tree. */
void replay_lines_end_block(struct replay_lines *lines);

/* All trees are there: puts them in order. Lines that are as deep as @depth, or more, are folded. */
void replay_lines_finish(struct replay_lines *lines, unsigned depth);
/* Finds out anew what is seen, after something was folded or unfolded. */
void replay_lines_show(struct replay_lines *lines);

/* The place among those that are seen of a line, or of the one that it is folded into. */
size_t replay_lines_place(const struct replay_lines *lines, uint32_t line);
/* Unfolds all that the line is inside of. */
void replay_lines_reveal(struct replay_lines *lines, uint32_t line);
/* What is looked for. */
struct replay_where {
	uint64_t time;
	bool has_pid; /* it is of the task @pid */
	int32_t pid;
	bool failed; /* it failed */
};

/*
 * The innermost line that goes on then, and is what is looked for, of the tree that began last; where none
 * is, the tree itself; else the first tree after it; NONE.
 */
uint32_t replay_lines_at(const struct replay_lines *lines, const struct replay_where *where);
/* The longest of those right inside of a line; NONE: it is empty. */
uint32_t replay_lines_longest(const struct replay_lines *lines, uint32_t line);
/* The next line, or the one before, with the same parent; NONE. */
uint32_t replay_lines_sibling(const struct replay_lines *lines, uint32_t line, bool before);

#endif

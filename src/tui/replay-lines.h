/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A part of a replay as lines that can be folded: its trees, in chronological order. It holds up to
 * about REPLAY_LINES_MAX lines; the caller stops adding trees then. Times are in nanoseconds. If
 * memory is exhausted, @nomem is set and lines are missing. Not thread-safe.
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
	uint32_t parent; /* a line; REPLAY_LINES_NONE: outermost */
	uint32_t end; /* the line after all that this one contains */
	uint32_t text, remarks; /* offsets in @texts */
	int32_t pid;
	uint32_t cpu; /* on which it began */
	uint16_t level;
	uint8_t style; /* of the text */
	bool folded; /* only meaningful if it contains lines */
	bool has_time; /* @total is known */
	bool failed;
	uint64_t start, total, stolen, asleep;
};

/* A complete tree. */
struct replay_block {
	uint64_t start;
	uint32_t first; /* its outermost line */
};

/* Empty when zero-initialized. Released with replay_lines_done(). */
struct replay_lines {
	struct replay_line *lines;
	size_t n, cap;
	struct replay_block *blocks;
	size_t n_blocks, cap_blocks;
	uint32_t *shown; /* the lines that no fold hides, from top to bottom */
	size_t n_shown, cap_shown;
	struct strbuf texts;
	bool nomem;
};

void replay_lines_clear(struct replay_lines *lines);
void replay_lines_done(struct replay_lines *lines);

/*
 * Appends a line inside @parent, or NONE. Returns NULL if memory is exhausted. The pointer is
 * valid until the next call.
 */
struct replay_line *replay_lines_add(struct replay_lines *lines, uint32_t parent);
/*
 * Stores a copy of a text, and returns its offset, for replay_lines_get(). What that returns is
 * valid until the next text is stored.
 */
uint32_t replay_lines_text(struct replay_lines *lines, const char *text);
const char *replay_lines_get(const struct replay_lines *lines, uint32_t text);
/* Makes all lines since the last block one tree. */
void replay_lines_end_block(struct replay_lines *lines);

/* Sorts the trees, after the last one was added. Lines at level @depth or deeper are folded. */
void replay_lines_finish(struct replay_lines *lines, unsigned depth);
/* Updates @shown after lines were folded or unfolded. */
void replay_lines_show(struct replay_lines *lines);

/* Returns the index in @shown of a line, or of the one into which it is folded. */
size_t replay_lines_place(const struct replay_lines *lines, uint32_t line);
/* Unfolds everything that contains the line. */
void replay_lines_reveal(struct replay_lines *lines, uint32_t line);
/* What to look for. */
struct replay_where {
	uint64_t time;
	bool has_pid; /* the line must be of task @pid */
	int32_t pid;
	bool failed; /* the line must have failed */
};

/*
 * Returns the innermost matching line that contains the time, in the tree that began last before
 * it; if none matches, the tree; if there is no such tree, the first one after the time;
 * REPLAY_LINES_NONE if there is none.
 */
uint32_t replay_lines_at(const struct replay_lines *lines, const struct replay_where *where);
/* Returns the longest of the lines directly inside a line, or REPLAY_LINES_NONE. */
uint32_t replay_lines_longest(const struct replay_lines *lines, uint32_t line);
/* Returns the next or previous line with the same parent, or REPLAY_LINES_NONE. */
uint32_t replay_lines_sibling(const struct replay_lines *lines, uint32_t line, bool before);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/replay-lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NONE REPLAY_LINES_NONE

void replay_lines_clear(struct replay_lines *lines)
{
	lines->n = lines->n_blocks = lines->n_shown = 0;
	lines->nomem = false;
	strbuf_clear(&lines->texts);
}

void replay_lines_done(struct replay_lines *lines)
{
	free(lines->lines);
	free(lines->blocks);
	free(lines->shown);
	strbuf_done(&lines->texts);
	*lines = (struct replay_lines){ 0 };
}

struct replay_line *replay_lines_add(struct replay_lines *lines, uint32_t parent)
{
	struct replay_line *line;

	/* If memory was exhausted, the parent may be missing. */
	if (lines->n >= NONE || (parent != NONE && parent >= lines->n) ||
	    mem_reserve(&lines->lines, &lines->cap, lines->n + 1, sizeof(*lines->lines)) < 0) {
		lines->nomem = true;
		return NULL;
	}
	line = &lines->lines[lines->n++];
	*line = (struct replay_line){ .parent = parent, .end = (uint32_t)lines->n };
	for (uint32_t up = parent; up != NONE; up = lines->lines[up].parent)
		lines->lines[up].end = (uint32_t)lines->n;
	line->level = parent == NONE ? 0 : (uint16_t)(lines->lines[parent].level + 1);
	return line;
}

uint32_t replay_lines_text(struct replay_lines *lines, const char *text)
{
	size_t at = lines->texts.len;

	strbuf_add(&lines->texts, text, strlen(text) + 1);
	lines->nomem |= lines->texts.err != 0;
	return (uint32_t)at;
}

const char *replay_lines_get(const struct replay_lines *lines, uint32_t text)
{
	return text < lines->texts.len ? lines->texts.s + text : "";
}

/* Returns the line after the last block. */
static uint32_t open_block(const struct replay_lines *lines)
{
	return lines->n_blocks ? lines->lines[lines->blocks[lines->n_blocks - 1].first].end : 0;
}

void replay_lines_end_block(struct replay_lines *lines)
{
	uint32_t first = open_block(lines);

	if (first >= lines->n)
		return;
	if (mem_reserve(&lines->blocks, &lines->cap_blocks, lines->n_blocks + 1,
			sizeof(*lines->blocks)) < 0) {
		lines->nomem = true;
		lines->n = first;
		return;
	}
	lines->blocks[lines->n_blocks++] =
		(struct replay_block){ .start = lines->lines[first].start, .first = first };
}

static int replay_lines_compare(const void *a, const void *b)
{
	const struct replay_block *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

void replay_lines_show(struct replay_lines *lines)
{
	lines->n_shown = 0;
	if (mem_reserve(&lines->shown, &lines->cap_shown, lines->n + 1, sizeof(*lines->shown)) <
	    0) {
		lines->nomem = true;
		return;
	}
	for (size_t i = 0; i < lines->n_blocks; i++) {
		uint32_t first = lines->blocks[i].first, end = lines->lines[first].end;

		for (uint32_t at = first; at < end;) {
			const struct replay_line *line = &lines->lines[at];

			lines->shown[lines->n_shown++] = at;
			at = line->folded ? line->end : at + 1;
		}
	}
}

void replay_lines_finish(struct replay_lines *lines, unsigned depth)
{
	if (lines->n_blocks)
		qsort(lines->blocks, lines->n_blocks, sizeof(*lines->blocks), replay_lines_compare);
	for (size_t i = 0; i < lines->n; i++)
		lines->lines[i].folded = lines->lines[i].level >= depth &&
					 lines->lines[i].end > i + 1;
	replay_lines_show(lines);
}

static uint32_t root_of(const struct replay_lines *lines, uint32_t line)
{
	while (lines->lines[line].parent != NONE)
		line = lines->lines[line].parent;
	return line;
}

/* Returns the outermost folded line that contains @line, or @line if it is visible. */
static uint32_t seen_for(const struct replay_lines *lines, uint32_t line)
{
	uint32_t seen = line;

	for (uint32_t up = lines->lines[line].parent; up != NONE; up = lines->lines[up].parent)
		if (lines->lines[up].folded)
			seen = up;
	return seen;
}

size_t replay_lines_place(const struct replay_lines *lines, uint32_t line)
{
	uint32_t seen, root;

	if (line >= lines->n)
		return 0;
	seen = seen_for(lines, line);
	root = root_of(lines, line);
	for (size_t i = 0; i < lines->n_shown; i++)
		if (lines->shown[i] == seen)
			return i;
	for (size_t i = 0; i < lines->n_shown; i++)
		if (lines->shown[i] == root)
			return i;
	return 0;
}

void replay_lines_reveal(struct replay_lines *lines, uint32_t line)
{
	if (line >= lines->n)
		return;
	for (uint32_t up = lines->lines[line].parent; up != NONE; up = lines->lines[up].parent)
		lines->lines[up].folded = false;
	replay_lines_show(lines);
}

/* A line without a known end lasts as long as its contents. */
static bool replay_lines_goes_on(const struct replay_lines *lines, uint32_t at, uint64_t time)
{
	const struct replay_line *line = &lines->lines[at];

	if (time < line->start)
		return false;
	return line->has_time ? time < line->start + line->total || time == line->start :
				time <= lines->lines[line->end - 1].start;
}

static uint32_t replay_lines_innermost(const struct replay_lines *lines, uint32_t first,
				       const struct replay_where *where)
{
	uint32_t found = first, end = lines->lines[first].end;

	for (uint32_t at = first + 1; at < end;) {
		bool inside = replay_lines_goes_on(lines, at, where->time);

		found = inside && (!where->failed || lines->lines[at].failed) ? at : found;
		at = inside ? at + 1 : lines->lines[at].end;
	}
	return found;
}

uint32_t replay_lines_at(const struct replay_lines *lines, const struct replay_where *where)
{
	uint32_t found = NONE;
	size_t i;

	for (i = 0; i < lines->n_blocks && lines->blocks[i].start <= where->time; i++) {
		uint32_t first = lines->blocks[i].first;

		if ((!where->has_pid || lines->lines[first].pid == where->pid) &&
		    replay_lines_goes_on(lines, first, where->time))
			found = replay_lines_innermost(lines, first, where);
	}
	return found != NONE || i == lines->n_blocks ? found : lines->blocks[i].first;
}

uint32_t replay_lines_longest(const struct replay_lines *lines, uint32_t line)
{
	uint32_t longest = NONE;

	if (line >= lines->n)
		return NONE;
	for (uint32_t at = line + 1; at < lines->lines[line].end; at = lines->lines[at].end)
		if (longest == NONE || lines->lines[at].total > lines->lines[longest].total)
			longest = at;
	return longest;
}

/* Returns the block that begins with this line. */
static size_t block_of(const struct replay_lines *lines, uint32_t line)
{
	size_t i = 0;

	while (i < lines->n_blocks && lines->blocks[i].first != line)
		i++;
	return i;
}

uint32_t replay_lines_sibling(const struct replay_lines *lines, uint32_t line, bool before)
{
	uint32_t parent, last = NONE;
	size_t block;

	if (line >= lines->n)
		return NONE;
	parent = lines->lines[line].parent;
	if (parent == NONE) {
		block = block_of(lines, line);
		if (before)
			return block ? lines->blocks[block - 1].first : NONE;
		return block + 1 < lines->n_blocks ? lines->blocks[block + 1].first : NONE;
	}
	if (!before)
		return lines->lines[line].end < lines->lines[parent].end ? lines->lines[line].end :
									   NONE;
	for (uint32_t at = parent + 1; at < line; at = lines->lines[at].end)
		last = at;
	return last;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders a call tree as a flame graph: a self-contained SVG in which each call is a box on top of
 * its caller, as wide as the time it took. If scripts are enabled, a click zooms in on a box, and
 * functions can be searched for. Also writes folded text, the input of other flame graph tools.
 */
#ifndef FATHOM_RENDER_TIME_FLAME_H
#define FATHOM_RENDER_TIME_FLAME_H

#include <stdio.h>

#include "analyze/calls/call-tree.h"
#include "render/kit/sink.h"

/* The words for enum flame_by, in the same order. */
#define FLAME_WIDTHS "wall cpu off self"
enum flame_by {
	FLAME_WALL, /* from the start of calls to their end */
	FLAME_CPU, /* without off-CPU time and interrupts */
	FLAME_OFF, /* off-CPU time */
	FLAME_OWN, /* each function's self time */
};

struct flame_options {
	enum flame_by by;
	unsigned width; /* of the picture in pixels; 0: 1200 */
	const char *title;
	const char *count_of; /* the counted item, such as "events"; NULL: widths are times */
	/* Colours compare the tree with this one: red boxes were narrower there. NULL: none. */
	const struct call_tree *before;
};

/* Returns 0 or -ENOMEM. Write errors are left to ferror(3). */
int flame_print(const struct call_tree *tree, const struct flame_options *options, FILE *stream);

/*
 * Returns the width of each node, in ns or counts, by its number, or NULL if memory is exhausted.
 * The caller frees it.
 */
uint64_t *flame_widths(const struct call_tree *tree, enum flame_by by);
/*
 * Returns the part of each node's width that its children do not cover, by its number, or NULL if
 * memory is exhausted. The caller frees it.
 */
uint64_t *flame_shares(const struct call_tree *tree, enum flame_by by);
/*
 * Writes "outer;inner 1234" for each path: its frames and its self time in nanoseconds. Does not
 * flush @sink. Returns 0 or -ENOMEM.
 */
int flame_print_folded(const struct call_tree *tree, enum flame_by by, struct sink *sink);

#endif

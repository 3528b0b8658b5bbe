/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A tree of calls as a flame graph: an SVG that stands alone. Each call is a box, as wide as
 * the time that it took, on the one that called it. It can be read as it is; where scripts
 * run, a click makes a box as wide as the picture, and functions can be searched for.
 */
#ifndef FATHOM_RENDER_TIME_FLAME_H
#define FATHOM_RENDER_TIME_FLAME_H

#include <stdio.h>

#include "analyze/calls/call-tree.h"
#include "render/kit/sink.h"

/* FLAME_WIDTHS has a word for each, in the same order. */
#define FLAME_WIDTHS "wall cpu off own"
enum flame_by {
	FLAME_WALL, /* from the beginning of calls to their end */
	FLAME_CPU, /* without sleeping, and without interrupts */
	FLAME_OFF, /* not on a CPU */
	FLAME_OWN, /* what each function took itself */
};

struct flame_options {
	enum flame_by by;
	unsigned width; /* of the picture; 0: 1200 */
	const char *title;
	const char *count_of; /* what is counted instead of time, "events"; NULL: nothing */
	/* Boxes are as wide as in the tree, and red where they were narrower here; NULL: none. */
	const struct call_tree *before;
};

/* 0 or -ENOMEM. */
int flame_print(const struct call_tree *tree, const struct flame_options *options, FILE *stream);

/* The width of each node, by its number; released with free(). NULL without memory. */
uint64_t *flame_widths(const struct call_tree *tree, enum flame_by by);
/*
 * What of each node's width no box on it covers, by number of node; released with free(). NULL
 * without memory.
 */
uint64_t *flame_shares(const struct call_tree *tree, enum flame_by by);
/* "outer;inner 1234": a line for each path, with the nanoseconds that are its own. 0 or -ENOMEM. */
int flame_print_folded(const struct call_tree *tree, enum flame_by by, struct sink *sink);

#endif

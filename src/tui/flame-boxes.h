/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a call tree as boxes in rows and columns of characters: calls are below their
 * caller, as wide as their time, the widest first. Calls narrower than half a column have no box.
 * Memory is needed for the boxes and the widths of all nodes. Not thread-safe.
 */
#ifndef FATHOM_TUI_FLAME_BOXES_H
#define FATHOM_TUI_FLAME_BOXES_H

#include "analyze/calls/call-tree.h"
#include "render/time/flame.h"

#define FLAME_NO_BOX SIZE_MAX

struct flame_box {
	uint32_t node;
	uint64_t start; /* of its left edge, in the unit of @widths */
	unsigned row, col, cols;
};

/* Empty when zero-initialized. */
struct flame_boxes {
	const struct call_tree *tree;
	uint64_t *widths; /* of all nodes, see flame_widths() */
	struct flame_box *boxes; /* row by row, from left to right */
	size_t n, cap;
	uint32_t *children; /* scratch */
	size_t cap_children;
	uint32_t top; /* the node that is as wide as the picture */
	unsigned rows, cols; /* of the picture */
	bool cut; /* there are more rows below */
};

/* @tree must outlive the boxes. Returns 0 or -ENOMEM. */
int flame_boxes_init(struct flame_boxes *boxes, const struct call_tree *tree, enum flame_by by);
void flame_boxes_done(struct flame_boxes *boxes);

/*
 * Lays out the boxes of @top and its descendants. Invalidates indices of boxes. Returns 0 or
 * -ENOMEM.
 */
int flame_boxes_lay(struct flame_boxes *boxes, uint32_t top, unsigned rows, unsigned cols);
/* Returns the index of the node's box, or FLAME_NO_BOX. */
size_t flame_boxes_find(const struct flame_boxes *boxes, uint32_t node);
/* Returns the next box in the row, or the previous one; @box at the end of the row. */
size_t flame_boxes_beside(const struct flame_boxes *boxes, size_t box, bool right);
/* Returns the widest box below, or @box if there is none. */
size_t flame_boxes_below(const struct flame_boxes *boxes, size_t box);

#endif

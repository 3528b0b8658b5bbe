/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree of calls as boxes in rows of columns: a call below who made it, as wide as its time, the widest
 * first. What is narrower than half a column has no box. Memory is that of the boxes, and of the widths of
 * all nodes.
 */
#ifndef FATHOM_TUI_FLAME_BOXES_H
#define FATHOM_TUI_FLAME_BOXES_H

#include "analyze/calls/call-tree.h"
#include "render/time/flame.h"

#define FLAME_NO_BOX SIZE_MAX

struct flame_box {
	uint32_t node;
	uint64_t start; /* of its width, from the left */
	unsigned row, col, cols;
};

/* Zero-initialised is empty. */
struct flame_boxes {
	const struct call_tree *tree;
	uint64_t *widths; /* of all nodes */
	struct flame_box *boxes; /* row by row, from the left */
	size_t n, cap;
	uint32_t *children; /* scratch */
	size_t cap_children;
	uint32_t top; /* the node that is as wide as the picture */
	unsigned rows, cols; /* of the picture */
	bool cut; /* there is more below */
};

/* @tree must outlive it. 0 or -ENOMEM. */
int flame_boxes_init(struct flame_boxes *boxes, const struct call_tree *tree, enum flame_by by);
void flame_boxes_done(struct flame_boxes *boxes);

/* Puts boxes into so many rows and columns, with @top above all. 0 or -ENOMEM. */
int flame_boxes_lay(struct flame_boxes *boxes, uint32_t top, unsigned rows, unsigned cols);
/* The box of a node; FLAME_NO_BOX: it has none. */
size_t flame_boxes_find(const struct flame_boxes *boxes, uint32_t node);
/* The box that comes next in the row, or before; itself at the end. */
size_t flame_boxes_beside(const struct flame_boxes *boxes, size_t box, bool right);
/* The widest box below; itself when there is none. */
size_t flame_boxes_below(const struct flame_boxes *boxes, size_t box);

#endif

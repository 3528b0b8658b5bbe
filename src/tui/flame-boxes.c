/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/flame-boxes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"

int flame_boxes_init(struct flame_boxes *boxes, const struct call_tree *tree, enum flame_by by)
{
	*boxes = (struct flame_boxes){ .tree = tree, .widths = flame_widths(tree, by) };
	return boxes->widths ? 0 : -ENOMEM;
}

void flame_boxes_done(struct flame_boxes *boxes)
{
	free(boxes->widths);
	free(boxes->boxes);
	free(boxes->children);
	*boxes = (struct flame_boxes){ 0 };
}

static int flame_boxes_compare(const void *a, const void *b, void *data)
{
	const struct flame_boxes *boxes = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int r = order_falling(boxes->widths[x], boxes->widths[y]);

	return r ? r : (x > y) - (x < y);
}

/* Lists the children that have a width, the widest first. Returns their number or -ENOMEM. */
static int64_t sort_children(struct flame_boxes *boxes, uint32_t node)
{
	const struct call_node *nodes = boxes->tree->nodes;
	size_t n = 0;

	for (uint32_t at = nodes[node].child; at != CALL_NONE; at = nodes[at].sibling) {
		if (!boxes->widths[at])
			continue;
		if (mem_reserve(&boxes->children, &boxes->cap_children, n + 1,
				sizeof(*boxes->children)) < 0)
			return -ENOMEM;
		boxes->children[n++] = at;
	}
	if (n)
		qsort_r(boxes->children, n, sizeof(*boxes->children), flame_boxes_compare, boxes);
	return (int64_t)n;
}

static unsigned col_of(const struct flame_boxes *boxes, uint64_t at)
{
	uint64_t whole = boxes->widths[boxes->top];

	return at >= whole ? boxes->cols : (unsigned)((unsigned __int128)at * boxes->cols / whole);
}

static int add_box(struct flame_boxes *boxes, uint32_t node, unsigned row, uint64_t start)
{
	unsigned col = col_of(boxes, start);
	unsigned end = col_of(boxes, start + boxes->widths[node]);

	if (col == end ||
	    (unsigned __int128)boxes->widths[node] * boxes->cols * 2 < boxes->widths[boxes->top])
		return 0;
	if (mem_reserve(&boxes->boxes, &boxes->cap, boxes->n + 1, sizeof(*boxes->boxes)) < 0)
		return -ENOMEM;
	boxes->boxes[boxes->n++] = (struct flame_box){
		.node = node, .start = start, .row = row, .col = col, .cols = end - col
	};
	return 0;
}

int flame_boxes_lay(struct flame_boxes *boxes, uint32_t top, unsigned rows, unsigned cols)
{
	int r = 0;

	boxes->top = top;
	boxes->rows = rows;
	boxes->cols = cols;
	boxes->n = 0;
	boxes->cut = false;
	if (rows && cols && boxes->widths[top])
		r = add_box(boxes, top, 0, 0);
	for (size_t i = 0; r == 0 && i < boxes->n; i++) {
		/* A copy, because the array may move. */
		struct flame_box box = boxes->boxes[i];
		int64_t n = sort_children(boxes, box.node);
		uint64_t start = box.start;

		if (n < 0)
			return -ENOMEM;
		if (box.row + 1 >= rows) {
			boxes->cut |= n > 0;
			continue;
		}
		for (int64_t k = 0; r == 0 && k < n; k++) {
			uint32_t child = boxes->children[k];

			r = add_box(boxes, child, box.row + 1, start);
			start += boxes->widths[child];
		}
	}
	return r;
}

size_t flame_boxes_find(const struct flame_boxes *boxes, uint32_t node)
{
	for (size_t i = 0; i < boxes->n; i++)
		if (boxes->boxes[i].node == node)
			return i;
	return FLAME_NO_BOX;
}

size_t flame_boxes_beside(const struct flame_boxes *boxes, size_t box, bool right)
{
	unsigned row = boxes->boxes[box].row;

	if (right)
		return box + 1 < boxes->n && boxes->boxes[box + 1].row == row ? box + 1 : box;
	return box && boxes->boxes[box - 1].row == row ? box - 1 : box;
}

size_t flame_boxes_below(const struct flame_boxes *boxes, size_t box)
{
	for (size_t i = box + 1; i < boxes->n; i++)
		if (boxes->tree->nodes[boxes->boxes[i].node].parent == boxes->boxes[box].node)
			return i;
	return box;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "tui/flame-boxes.h"

static int add(struct call_tree *tree, uint32_t parent, uint64_t address, uint64_t total,
	       uint32_t *ret_node)
{
	uint32_t func = func_table_find(&tree->funcs, address);
	uint32_t node = func == FUNC_NONE ? CALL_NONE : call_tree_child(tree, parent, func);

	if (node == CALL_NONE)
		return -ENOMEM;
	call_tree_add(tree, node, &(struct call_times){ .total = total });
	*ret_node = node;
	return 0;
}

/* The nodes of the tree. */
enum {
	A,
	B,
	C,
	D,
	E,
	F,
	NODES
};

/* a 600 (c 100, d 400 (e 400)), b 200, f 1 */
static int make(struct call_tree *tree, uint32_t node[NODES])
{
	int r = call_tree_init(tree, NULL, false);

	if (r < 0)
		return r;
	r |= add(tree, CALL_ROOT, 0x200, 200, &node[B]);
	r |= add(tree, CALL_ROOT, 0x100, 600, &node[A]);
	if (r == 0)
		r |= add(tree, node[A], 0x300, 100, &node[C]);
	if (r == 0)
		r |= add(tree, node[A], 0x400, 400, &node[D]);
	if (r == 0)
		r |= add(tree, node[D], 0x500, 400, &node[E]);
	r |= add(tree, CALL_ROOT, 0x600, 1, &node[F]);
	if (r < 0)
		call_tree_done(tree);
	return r < 0 ? -ENOMEM : 0;
}

static void check_box(const struct flame_boxes *boxes, uint32_t node, unsigned row, unsigned col,
		      unsigned cols)
{
	size_t i = flame_boxes_find(boxes, node);

	assert_true(i != FLAME_NO_BOX);
	assert_int_equal(boxes->boxes[i].row, row);
	assert_int_equal(boxes->boxes[i].col, col);
	assert_int_equal(boxes->boxes[i].cols, cols);
}

static void puts_the_widest_first(void **state)
{
	uint32_t node[NODES];
	struct call_tree tree;
	struct flame_boxes boxes;

	assert_int_equal(make(&tree, node), 0);
	assert_int_equal(flame_boxes_init(&boxes, &tree, FLAME_WALL), 0);
	assert_int_equal(flame_boxes_lay(&boxes, CALL_ROOT, 10, 801), 0);
	assert_int_equal(boxes.n, NODES + 1);
	assert_false(boxes.cut);
	check_box(&boxes, CALL_ROOT, 0, 0, 801);
	check_box(&boxes, node[A], 1, 0, 600);
	check_box(&boxes, node[B], 1, 600, 200);
	check_box(&boxes, node[F], 1, 800, 1);
	check_box(&boxes, node[D], 2, 0, 400);
	check_box(&boxes, node[C], 2, 400, 100);
	check_box(&boxes, node[E], 3, 0, 400);
	/*
	 * Calls narrower than a column have no box; @cut says that there are rows below the last
	 * one.
	 */
	assert_int_equal(flame_boxes_lay(&boxes, CALL_ROOT, 3, 80), 0);
	assert_int_equal(flame_boxes_find(&boxes, node[E]), FLAME_NO_BOX);
	assert_true(boxes.cut);
	assert_int_equal(flame_boxes_lay(&boxes, CALL_ROOT, 3, 8), 0);
	assert_int_equal(boxes.n, 5);
	/* A node as wide as the picture. */
	assert_int_equal(flame_boxes_lay(&boxes, node[A], 10, 60), 0);
	assert_int_equal(boxes.n, 4);
	check_box(&boxes, node[A], 0, 0, 60);
	check_box(&boxes, node[D], 1, 0, 40);
	check_box(&boxes, node[C], 1, 40, 10);
	assert_int_equal(flame_boxes_lay(&boxes, CALL_ROOT, 0, 0), 0);
	assert_int_equal(boxes.n, 0);
	flame_boxes_done(&boxes);
	call_tree_done(&tree);
}

static void moves_between_boxes(void **state)
{
	uint32_t node[NODES];
	struct call_tree tree;
	struct flame_boxes boxes;
	size_t a, b;

	assert_int_equal(make(&tree, node), 0);
	assert_int_equal(flame_boxes_init(&boxes, &tree, FLAME_WALL), 0);
	assert_int_equal(flame_boxes_lay(&boxes, CALL_ROOT, 10, 80), 0);
	a = flame_boxes_find(&boxes, node[A]);
	b = flame_boxes_find(&boxes, node[B]);
	assert_int_equal(flame_boxes_below(&boxes, 0), a);
	assert_int_equal(flame_boxes_beside(&boxes, a, true), b);
	assert_int_equal(flame_boxes_beside(&boxes, b, false), a);
	assert_int_equal(flame_boxes_beside(&boxes, a, false), a);
	assert_int_equal(flame_boxes_below(&boxes, a), flame_boxes_find(&boxes, node[D]));
	assert_int_equal(flame_boxes_below(&boxes, b), b);
	flame_boxes_done(&boxes);
	call_tree_done(&tree);
}

static int lay(void *arg)
{
	struct flame_boxes boxes = { 0 };
	uint32_t node[NODES];
	struct call_tree tree;
	int r = make(&tree, node);

	if (r < 0)
		return r;
	r = flame_boxes_init(&boxes, &tree, FLAME_WALL);
	if (r == 0)
		r = flame_boxes_lay(&boxes, CALL_ROOT, 10, 80);
	flame_boxes_done(&boxes);
	call_tree_done(&tree);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(lay, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_the_widest_first),
		cmocka_unit_test(moves_between_boxes),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "tui/keys.h"
#include "tui/lines.h"

#define N 100U

static void test_scroll(void **state)
{
	struct lines lines = { .page = 10 };

	/* Scrolls no farther than necessary. */
	lines_move(&lines, N, 9);
	assert_int_equal(lines.top, 0);
	lines_move(&lines, N, 1);
	assert_int_equal(lines.selected, 10);
	assert_int_equal(lines.top, 1);
	lines_move(&lines, N, -9);
	assert_int_equal(lines.selected, 1);
	assert_int_equal(lines.top, 1);
	lines_move(&lines, N, -1);
	assert_int_equal(lines.top, 0);
	/* The ends of the list. */
	lines_move(&lines, N, INT64_MAX);
	assert_int_equal(lines.selected, N - 1);
	assert_int_equal(lines.top, N - 10);
	lines_move(&lines, N, INT64_MIN);
	assert_int_equal(lines.selected, 0);
	assert_int_equal(lines.top, 0);
	lines_select(&lines, N, SIZE_MAX);
	assert_int_equal(lines.selected, N - 1);
	/* The list and the screen become shorter. */
	lines_scroll(&lines, 20);
	assert_int_equal(lines.selected, 19);
	assert_int_equal(lines.top, 19);
	lines_move(&lines, 20, -5);
	lines.page = 3;
	lines_move(&lines, 20, 5);
	assert_int_equal(lines.selected, 19);
	assert_int_equal(lines.top, 17);
	lines_scroll(&lines, 0);
	assert_int_equal(lines.selected, 0);
	assert_int_equal(lines.top, 0);
	lines_move(&lines, 0, 1);
	assert_int_equal(lines.selected, 0);
}

/* Keys may come before the first drawing. */
static void test_never_drawn(void **state)
{
	struct lines lines = { 0 };
	unsigned row;

	lines_move(&lines, N, 50);
	assert_int_equal(lines.selected, 50);
	assert_int_equal(lines.top, 50);
	assert_false(lines_row(&lines, 50, &row));
	assert_int_equal(lines_end(&lines, N), 50);
	assert_false(lines_click(&lines, N, 0));
	lines.page = 10;
	lines_scroll(&lines, N);
	assert_int_equal(lines.top, 50);
}

static void test_columns_beside(void **state)
{
	struct lines lines = { .selected = 5, .page = 10 };

	assert_int_equal(lines_beside(&lines, N, 1), 6);
	assert_int_equal(lines_beside(&lines, N, -5), 0);
	assert_int_equal(lines_beside(&lines, N, -6), 0);
	assert_int_equal(lines_beside(&lines, N, 94), N - 1);
	assert_int_equal(lines_beside(&lines, N, 95), N - 1);
	assert_int_equal(lines_beside(&lines, 3, 0), 2);
	assert_int_equal(lines_beside(&lines, 0, 1), 0);
	assert_int_equal(lines.selected, 5);
}

static void test_pan(void **state)
{
	struct lines lines = { .page = 10 };

	lines_pan(&lines, N, 5);
	assert_int_equal(lines.top, 5);
	lines_pan(&lines, N, -6);
	assert_int_equal(lines.top, 0);
	lines_pan(&lines, N, INT64_MAX);
	assert_int_equal(lines.top, N - 10);
	/* More lines are visible. */
	lines.page = 60;
	lines_pan(&lines, N, 0);
	assert_int_equal(lines.top, 40);
	lines.page = N + 1;
	lines_pan(&lines, N, 1);
	assert_int_equal(lines.top, 0);
	assert_int_equal(lines_end(&lines, N), N);
}

static void test_place(void **state)
{
	struct lines lines = { .selected = 50, .page = 10 };
	unsigned row;

	lines_place(&lines, 3);
	assert_int_equal(lines.top, 47);
	assert_true(lines_row(&lines, 50, &row));
	assert_int_equal(row, 3);
	assert_true(lines_row(&lines, 56, &row));
	assert_int_equal(row, 9);
	assert_false(lines_row(&lines, 57, &row));
	assert_false(lines_row(&lines, 46, &row));
	assert_int_equal(lines_end(&lines, N), 57);
	assert_int_equal(lines_end(&lines, 52), 52);
	assert_int_equal(lines_end(&lines, 40), 40);
	lines.selected = 2;
	lines_place(&lines, 3);
	assert_int_equal(lines.top, 0);
}

static void test_click(void **state)
{
	struct lines lines = { .selected = 50, .top = 47, .page = 10 };

	assert_true(lines_click(&lines, N, 3));
	assert_false(lines_click(&lines, N, 9));
	assert_int_equal(lines.selected, 56);
	/* There is no line in this row. */
	assert_false(lines_click(&lines, N, 10));
	assert_false(lines_click(&lines, 50, 3));
	assert_false(lines_click(&lines, 40, 0));
	assert_int_equal(lines.selected, 56);
	assert_int_equal(lines.top, 47);
}

static void test_key(void **state)
{
	int64_t by = 42;

	assert_false(lines_key('x', 10, N, &by));
	assert_int_equal(by, 42);
	assert_true(lines_key(TUI_KEY_DOWN, 10, N, &by));
	assert_int_equal(by, 1);
	assert_true(lines_key('k', 10, N, &by));
	assert_int_equal(by, -1);
	assert_true(lines_key(TUI_KEY_PAGE_UP, 10, N, &by));
	assert_int_equal(by, -10);
	assert_true(lines_key('G', 10, N, &by));
	assert_int_equal(by, N);
	assert_true(lines_key(TUI_KEY_HOME, 10, N, &by));
	assert_int_equal(by, -(int64_t)N);
}

static const char *text_of(void *data, size_t line)
{
	return ((const char *const *)data)[line];
}

static void test_find(void **state)
{
	const char *texts[] = { "one", NULL, "Two", "three", "two" };

	assert_int_equal(lines_find(5, 0, false, "two", text_of, texts), 2);
	assert_int_equal(lines_find(5, 2, false, "two", text_of, texts), 4);
	assert_int_equal(lines_find(5, 0, true, "two", text_of, texts), 4);
	assert_int_equal(lines_find(5, 4, false, "two", text_of, texts), 2);
	assert_int_equal(lines_find(5, 3, true, "three", text_of, texts), 3);
	assert_true(lines_find(5, 0, false, "four", text_of, texts) == SIZE_MAX);
	assert_true(lines_find(0, 0, false, "one", text_of, texts) == SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scroll),
		cmocka_unit_test(test_never_drawn),
		cmocka_unit_test(test_columns_beside),
		cmocka_unit_test(test_pan),
		cmocka_unit_test(test_place),
		cmocka_unit_test(test_click),
		cmocka_unit_test(test_key),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "tree.h"

#include "base/cleanup.h"
#include "kernel/tracefs/settings.h"

#define _cleanup_settings_ _cleanup_(settings_done)

static void fill(int dir)
{
	tree_file("/available_tracers", "blk function_graph strange nop\n");
	tree_file("/current_tracer", "function_graph\n");
	tree_file("/trace_clock", "local global [mono] x86-tsc\n");
	tree_file("/options/overwrite", "1\n");
	tree_file("/options/annotate", "0\n");
}

static void reads_tracers(void **state)
{
	_cleanup_settings_ struct settings s = { 0 };
	struct fathom_err err = { 0 };
	int dir = *(int *)*state;

	if (succeeds(settings_read_tracers(dir, &s, &err) != -ENOMEM))
		assert_non_null(strstr(fathom_err_text(&err), "available_tracers"));
	fill(dir);
	require(settings_read_tracers(dir, &s, NULL) >= 0);
	assert_int_equal(s.n, 4);
	assert_string_equal(s.list[1].name, "function_graph");
	assert_true(s.list[1].on);
	assert_false(s.list[0].on);
	assert_non_null(strstr(s.list[1].what, "tree"));
	assert_null(s.list[2].what);
}

static void reads_clocks(void **state)
{
	_cleanup_settings_ struct settings s = { 0 };

	fill(*(int *)*state);
	require(settings_read_clocks(*(int *)*state, &s, NULL) >= 0);
	assert_int_equal(s.n, 4);
	assert_string_equal(s.list[2].name, "mono");
	assert_true(s.list[2].on);
	assert_false(s.list[3].on);
	assert_non_null(s.list[3].what);
}

static void reads_options(void **state)
{
	_cleanup_settings_ struct settings s = { 0 }, old = { 0 };
	int dir = *(int *)*state;

	tree_file("/trace_options", "overwrite\nnoannotate\n\nnotknown\n");
	if (succeeds(settings_read_options(dir, &old, NULL) == 0)) {
		assert_int_equal(old.n, 3);
		assert_string_equal(old.list[0].name, "annotate");
		assert_false(old.list[0].on);
		assert_true(old.list[1].on);
	}
	fill(dir);
	if (succeeds(settings_read_options(dir, &s, NULL) == 0)) {
		assert_int_equal(s.n, 2);
		assert_string_equal(s.list[0].name, "annotate");
		assert_false(s.list[0].on);
		assert_true(s.list[1].on);
	}
}

static int read_all(void *arg)
{
	int (*const readers[])(int, struct settings *,
			       struct fathom_err *) = { settings_read_tracers, settings_read_clocks,
							settings_read_options };

	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		_cleanup_settings_ struct settings s = { 0 };
		int r = readers[i](*(int *)arg, &s, NULL);

		if (r < 0)
			return r;
	}
	return 0;
}

static void survives_failing_allocations(void **state)
{
	fill(*(int *)*state);
	oom_check(read_all, *state);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_tracers),
		TEST(reads_clocks),
		TEST(reads_options),
		TEST(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

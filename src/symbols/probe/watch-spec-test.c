/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/probe/watch-spec.h"

#include <errno.h>

#include "test.h"
#include "types-sample.h"

static struct watch_spec parse(struct arena *arena, const char *text)
{
	struct watch_spec spec = { 0 };
	struct fathom_err err = { 0 };

	if (watch_spec_parse(text, arena, &spec, &err) < 0)
		fail_msg("'%s': %s", text, fathom_err_text(&err));
	return spec;
}

static void test_parse(void **state)
{
	struct arena arena = { 0 };
	struct watch_spec spec = parse(&arena, "counter");

	assert_string_equal(spec.symbol, "counter");
	assert_int_equal(spec.address, 0);
	assert_int_equal(spec.length, 0);
	assert_int_equal(spec.access, 0);
	assert_null(spec.type);
	spec = parse(&arena, "a.c:table+0x10/4:rw");
	assert_string_equal(spec.text, "a.c:table+0x10/4");
	assert_string_equal(spec.symbol, "a.c:table");
	assert_int_equal(spec.address, 16);
	assert_int_equal(spec.length, 4);
	assert_int_equal(spec.access, WATCH_READ | WATCH_WRITE);
	spec = parse(&arena, "0x7ffe1000/8");
	assert_null(spec.symbol);
	assert_int_equal(spec.address, 0x7ffe1000);
	assert_int_equal(spec.length, 8);
	/* "ns::w" is a name, and so is an unknown suffix. */
	spec = parse(&arena, "ns::w");
	assert_string_equal(spec.symbol, "ns::w");
	assert_int_equal(spec.access, 0);
	assert_int_equal(parse(&arena, "main:x").access, WATCH_EXECUTE);
	assert_string_equal(parse(&arena, "a.c:count").symbol, "a.c:count");
	spec = parse(&arena, "(struct file)some.f_flags:w");
	assert_string_equal(spec.type, "struct file");
	assert_string_equal(spec.symbol, "some");
	assert_string_equal(spec.path, ".f_flags");
	arena_done(&arena);
}

static void test_errors(void **state)
{
	static const char *const texts[] = { "",
					     ":w",
					     "/4",
					     "a/0",
					     "a/x",
					     "a/-1",
					     "a+b",
					     "12z",
					     "(struct",
					     "a:rwx",
					     "(x)",
					     "+8",
					     "0x1ffffffffffffffff" };
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct fathom_err err = { 0 };
		struct watch_spec spec;

		if (watch_spec_parse(texts[i], &arena, &spec, &err) != -EINVAL)
			fail_msg("'%s' is taken", texts[i]);
		assert_true(fathom_err_text(&err)[0]);
	}
	arena_done(&arena);
}

static void check_parts(uint64_t address, uint64_t length, unsigned n)
{
	struct watch_part parts[4];
	unsigned got = watch_parts(address, length, parts, 4);

	assert_int_equal(got, n);
	for (unsigned i = 0; i < got; i++) {
		assert_int_equal(parts[i].address, address);
		assert_int_equal(parts[i].address % parts[i].length, 0);
		assert_true(parts[i].length <= length);
		address += parts[i].length;
		length -= parts[i].length;
	}
	if (got)
		assert_int_equal(length, 0);
}

static void test_parts(void **state)
{
	check_parts(0x1000, 1, 1);
	check_parts(0x1000, 8, 1);
	check_parts(0x1000, 12, 2);
	check_parts(0x1000, 32, 4);
	check_parts(0x1000, 33, 0);
	check_parts(0x1001, 8, 4);
	check_parts(0x1001, 16, 0);
	check_parts(0x1004, 8, 2);
	check_parts(UINT64_MAX - 7, 8, 1);
	check_parts(0x1000, UINT64_MAX, 0);
}

static int types_setup(void **state)
{
	return tree_setup(state) < 0 || types_sample_write(tree_fd()) < 0 ? -1 : 0;
}

static void test_member(void **state)
{
	_cleanup_(types_free_p) struct types *types = NULL;
	struct arena arena = { 0 };
	struct watch_spec spec = parse(&arena, "(struct file)some.f_flags");

	assert_int_equal(types_new(tree_fd(), &types, NULL), 0);
	assert_int_equal(watch_spec_member(&spec, types, NULL), 0);
	assert_int_equal(spec.address, 16);
	assert_int_equal(spec.length, 4);
	spec = parse(&arena, "(struct file)some.f_flag");
	assert_int_equal(watch_spec_member(&spec, types, NULL), -ENOENT);
	spec = parse(&arena, "(struct file)some.f_flags.more");
	assert_int_equal(watch_spec_member(&spec, types, NULL), -ENOENT);
	spec = parse(&arena, "(struct file)some[1]");
	assert_int_equal(watch_spec_member(&spec, types, NULL), -EINVAL);
	spec = parse(&arena, "(struct nosuch)some");
	assert_int_equal(watch_spec_member(&spec, types, NULL), -ENOENT);
	spec = parse(&arena, "(struct file)some");
	assert_int_equal(watch_spec_member(&spec, NULL, NULL), -ENOENT);
	/* Without a type there are no members. */
	spec = parse(&arena, "some");
	assert_int_equal(watch_spec_member(&spec, NULL, NULL), 0);
	arena_done(&arena);
}

static int oom_parse(void *arg)
{
	struct arena arena = { 0 };
	struct watch_spec spec;
	int r = watch_spec_parse(arg, &arena, &spec, NULL);

	arena_done(&arena);
	return r;
}

static void test_memory(void **state)
{
	char text[] = "(struct file)some.f_flags+1/4:rw";

	oom_check(oom_parse, text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_parts),
		cmocka_unit_test_setup_teardown(test_member, types_setup, tree_teardown),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

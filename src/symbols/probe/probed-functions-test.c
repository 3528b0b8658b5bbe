/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "symbols/probe/probed-functions.h"

static const char text[] = "efathom_1\n"
			   "f/usr/bin/app\n"
			   "+main\n"
			   "+_ZN3app4saveEv\tapp::save()\n"
			   "-go.start\n"
			   "\n"
			   "what is this\n"
			   "+\n"
			   "f/lib/libc.so.6\n"
			   "+wr\x1bite";

static int parse(void *functions)
{
	probed_functions_done(functions);
	return probed_functions_parse(functions, text, strlen(text));
}

static void numbers_functions_in_order(void **state)
{
	struct probed_functions f = { 0 };

	assert_int_equal(parse(&f), 0);
	assert_string_equal(f.system, "fathom_1");
	assert_int_equal(f.n, 4);
	assert_string_equal(f.list[0].name, "main");
	assert_string_equal(f.list[0].file, "app");
	assert_true(f.list[0].returns);
	assert_string_equal(f.list[1].name, "app::save()");
	assert_false(f.list[2].returns);
	assert_string_equal(f.list[3].file, "libc.so.6");
	probed_functions_done(&f);
}

static void names_are_safe_for_terminals(void **state)
{
	struct probed_functions f = { 0 };

	assert_int_equal(parse(&f), 0);
	assert_string_equal(f.list[3].name, "wr?ite");
	probed_functions_done(&f);
}

static void finds_functions_by_address(void **state)
{
	struct probed_functions f = { 0 };

	assert_int_equal(parse(&f), 0);
	assert_ptr_equal(probed_functions_find(&f, probed_function_address(1)), &f.list[1]);
	assert_null(probed_functions_find(&f, 0));
	assert_null(probed_functions_find(&f, probed_function_address(4)));
	assert_null(probed_functions_find(&f, 0xffffffff81000000));
	assert_null(probed_functions_find(NULL, 1));
	probed_functions_done(&f);
}

static void empty_text_has_no_functions(void **state)
{
	struct probed_functions f = { 0 };

	assert_int_equal(probed_functions_parse(&f, "", 0), 0);
	assert_null(f.system);
	assert_int_equal(f.n, 0);
	probed_functions_done(&f);
}

static void survives_failing_allocations(void **state)
{
	struct probed_functions f = { 0 };

	oom_check(parse, &f);
	probed_functions_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_functions_in_order),
		cmocka_unit_test(names_are_safe_for_terminals),
		cmocka_unit_test(finds_functions_by_address),
		cmocka_unit_test(empty_text_has_no_functions),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

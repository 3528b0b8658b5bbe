/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "symbols/kernel/printk.h"

static const char text[] = "0xffffffff82000300 : \"with a \\\"quote\\\"\"\n"
			   "0xffffffff82000100 : \"value %d\\n\"\n"
			   "rubbish\n"
			   "0x10\n"
			   "0xffffffff82000200 : \"\"\n";

static void finds_formats_by_address(void **state)
{
	struct printk p;

	assert_int_equal(printk_init(&p, text, strlen(text)), 0);
	assert_int_equal(p.n, 3);
	assert_string_equal(printk_find(&p, 0xffffffff82000100), "value %d");
	assert_string_equal(printk_find(&p, 0xffffffff82000200), "");
	assert_string_equal(printk_find(&p, 0xffffffff82000300), "with a \\\"quote\\\"");
	assert_null(printk_find(&p, 0xffffffff82000101));
	printk_done(&p);
}

static void is_empty_without_text(void **state)
{
	struct printk p;

	assert_int_equal(printk_init(&p, "", 0), 0);
	assert_null(printk_find(&p, 0));
	printk_done(&p);
}

static int build(void *arg)
{
	struct printk p;
	int r = printk_init(&p, text, strlen(text));

	if (r == 0)
		printk_done(&p);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(build, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_formats_by_address),
		cmocka_unit_test(is_empty_without_text),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

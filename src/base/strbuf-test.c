/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/cleanup.h"
#include "base/strbuf.h"

static void is_initially_empty(void **state)
{
	struct strbuf buf = { 0 };

	assert_string_equal(strbuf_str(&buf), "");
	strbuf_done(&buf);
}

static void grows(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_adds(&buf, "a");
	strbuf_addc(&buf, 'b');
	strbuf_addf(&buf, "%d", 12);
	strbuf_pad(&buf, '-', 3);
	strbuf_add(&buf, "xyz", 2);
	if (succeeds(!buf.err)) {
		assert_string_equal(strbuf_str(&buf), "ab12---xy");
		assert_int_equal(buf.len, 9);
	}
	strbuf_clear(&buf);
	assert_string_equal(strbuf_str(&buf), "");
}

static void formats_long_text(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	strbuf_addf(&buf, "%1000d", 7);
	if (succeeds(!buf.err)) {
		assert_int_equal(buf.len, 1000);
		assert_int_equal(buf.s[999], '7');
	}
}

static int add_many(void *arg)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	_cleanup_free_ char *taken = NULL;

	for (int i = 0; i < 100; i++)
		strbuf_addf(&buf, "line %d\n", i);
	taken = strbuf_take(&buf);
	return taken ? 0 : -ENOMEM;
}

static void remembers_running_out_of_memory(void **state)
{
	oom_check(add_many, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_initially_empty),
		cmocka_unit_test(grows),
		cmocka_unit_test(formats_long_text),
		cmocka_unit_test(remembers_running_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

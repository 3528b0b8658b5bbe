/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests markers from a process that sends arbitrary data. */
#include "test.h"

#include "base/cleanup.h"
#include "actions/machine/list-markers-parts.h"

/* Allocated with its exact size, so that a sanitizer detects an overrun. */
static int take(struct marker_search *search, const char *bytes, size_t len)
{
	_cleanup_free_ char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	return marker_search_take(search, copy, len, NULL);
}
#define TAKE(search, literal) take(search, literal, sizeof(literal) - 1)

static void accepts_only_complete_rows(void **state)
{
	_cleanup_(marker_search_done) struct marker_search search;

	marker_search_init(&search);
	search.path = "app";
	assert_int_equal(TAKE(&search, ""), -EPROTO);
	assert_int_equal(TAKE(&search, "a:b"), -EPROTO);
	assert_int_equal(TAKE(&search, "a:b\0000x10"), -EPROTO);
	assert_int_equal(TAKE(&search, "a:b\0000x10\0arg"), -EPROTO);
	assert_int_equal(TAKE(&search, "a:b\0000x10\0arg\0more\0"), -EPROTO);
	/* Half a row would shift all following rows into the wrong columns. */
	assert_int_equal(search.table.n, 0);
	assert_int_equal(search.names.len, 0);
	assert_int_equal(TAKE(&search, "a:b\0000x10\0arg1:s32\0"), 0);
	assert_int_equal(TAKE(&search, "\033[2J\0\0\0"), 0);
	assert_int_equal(table_rows(&search.table), 2);
	assert_null(memchr(strbuf_str(&search.names), '\033', search.names.len));
}

static void the_number_of_rows_is_bounded(void **state)
{
	_cleanup_(marker_search_done) struct marker_search search;

	marker_search_init(&search);
	search.path = "app";
	search.n = MARKERS_MAX - 1;
	assert_int_equal(TAKE(&search, "a\0\0\0"), 0);
	assert_int_equal(TAKE(&search, "a\0\0\0"), -E2BIG);
	assert_int_equal(table_rows(&search.table), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_only_complete_rows),
		cmocka_unit_test(the_number_of_rows_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

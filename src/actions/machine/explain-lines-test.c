/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests source locations from a process that sends arbitrary data. */
#include "test.h"

#include "base/cleanup.h"
#include "actions/machine/explain-lines-parts.h"

/* Allocated with its exact size, so that a sanitizer detects an overrun. */
static int take(struct explain_search *search, const char *bytes, size_t len)
{
	_cleanup_free_ char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	return explain_search_take(search, copy, len, NULL);
}
#define TAKE(search, literal) take(search, literal, sizeof(literal) - 1)
#define PLACE		      "p\7\0\0\0/nonexistent/a.c\0vmlinux"

static void accepts_places_and_notes(void **state)
{
	const struct explain_query query = { .root = "" };
	_cleanup_(explanation_done) struct explanation e = { .notes = "" };
	struct explain_search search = { .query = &query, .e = &e };

	assert_int_equal(TAKE(&search, PLACE), 0);
	assert_int_equal(TAKE(&search, "nnot found\n"), 0);
	assert_int_equal(e.n_sources, 1);
	assert_int_equal(e.sources[0].line, 7);
	assert_string_equal(e.sources[0].file, "/nonexistent/a.c");
	assert_string_equal(e.sources[0].by, "vmlinux");
	assert_string_equal(e.notes, "not found\n");
	/* Only one message has notes: each further one would copy all previous ones. */
	assert_int_equal(TAKE(&search, "nmore\n"), -EPROTO);
}

static void rejects_truncated_input(void **state)
{
	const struct explain_query query = { .root = "" };
	_cleanup_(explanation_done) struct explanation e = { .notes = "" };

	for (size_t len = 0; len < sizeof(PLACE) - sizeof("vmlinux") + 1; len++) {
		struct explain_search search = { .query = &query, .e = &e };

		assert_int_equal(take(&search, PLACE, len), -EPROTO);
	}
	assert_int_equal(e.n_sources, 0);
}

static void the_number_of_places_is_bounded(void **state)
{
	const struct explain_query query = { .root = "" };
	_cleanup_(explanation_done) struct explanation e = { .notes = "" };
	struct explain_search search = { .query = &query, .e = &e };
	char place[] = PLACE;

	for (int i = 0; i < 100; i++) {
		place[1] = (char)i;
		take(&search, place, sizeof(place) - 1);
	}
	assert_in_range(e.n_sources, EXPLAIN_PLACES_MAX, EXPLAIN_PLACES_MAX + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_places_and_notes),
		cmocka_unit_test(rejects_truncated_input),
		cmocka_unit_test(the_number_of_places_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

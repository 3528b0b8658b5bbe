/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places to watch from a process that may send anything. */
#include "test.h"

#include "record/watch-place-parts.h"

static void takes_places_of_their_size_alone(void **state)
{
	const struct watch_place sent = { .address = 0x1000, .length = 4, .is_function = true };
	const uint64_t member[] = { 0x2000, 8 };
	struct watch_spec spec = { .text = "x" };
	struct watch_search search = { .spec = &spec, .shown = "app" };
	struct fathom_err err = { 0 };

	for (size_t len = 0; len < sizeof(sent); len++)
		assert_int_equal(watch_search_take_symbol(&search, (const char *)&sent, len, &err),
				 -EPROTO);
	for (size_t len = 0; len < sizeof(member); len++)
		assert_int_equal(watch_search_take_member(&search, (const char *)member, len, &err),
				 -EPROTO);
	assert_string_equal(fathom_err_text(&err), "cannot read 'app'");
	assert_int_equal(search.place.address, 0);
	assert_int_equal(spec.address, 0);

	assert_int_equal(watch_search_take_symbol(&search, (const char *)&sent, sizeof(sent), NULL),
			 0);
	assert_int_equal(search.place.address, 0x1000);
	assert_int_equal(search.place.length, 4);
	assert_true(search.place.is_function);
	assert_int_equal(
		watch_search_take_member(&search, (const char *)member, sizeof(member), NULL), 0);
	assert_int_equal(spec.address, 0x2000);
	assert_int_equal(spec.length, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_places_of_their_size_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

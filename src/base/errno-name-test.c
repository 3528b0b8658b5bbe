/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include "base/errno-name.h"

static void knows_errors_by_name(void **state)
{
	assert_string_equal(errno_name(EACCES), "EACCES");
	assert_string_equal(errno_name(515), "ENOIOCTLCMD");
	assert_null(errno_name(0));
	assert_null(errno_name(-EACCES));
	assert_null(errno_name(4000));
	assert_int_equal(errno_number("EACCES", 6), EACCES);
	assert_int_equal(errno_number("EACCES: no", 6), EACCES);
	assert_int_equal(errno_number("EACC", 4), 0);
	assert_int_equal(errno_number("ENOIOCTLCMD", 11), 515);
}

static void names_are_reversible(void **state)
{
	unsigned n = 0;

	for (int error = 1; error < 4096; error++) {
		const char *name = errno_name(error);

		if (!name)
			continue;
		assert_int_equal(errno_number(name, strlen(name)), error);
		n++;
	}
	assert_in_range(n, 140, 200);
}

static void knows_restart_codes(void **state)
{
	assert_true(errno_is_restart(512));
	assert_true(errno_is_restart(516));
	assert_false(errno_is_restart(515));
	assert_false(errno_is_restart(EINTR));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_errors_by_name),
		cmocka_unit_test(names_are_reversible),
		cmocka_unit_test(knows_restart_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

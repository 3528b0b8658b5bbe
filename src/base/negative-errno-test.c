/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/negative-errno.h"

static void is_never_a_success(void **state)
{
	errno = ENOENT;
	assert_int_equal(negative_errno(), -ENOENT);
	errno = 0;
	assert_int_equal(negative_errno(), -EIO);
	errno = -EINVAL;
	assert_int_equal(negative_errno(), -EIO);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(is_never_a_success) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

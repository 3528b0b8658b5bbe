/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <linux/capability.h>

#include "base/capability-name.h"

static void numbers_are_those_of_the_kernel(void **state)
{
	assert_string_equal(capability_name(CAP_CHOWN), "CAP_CHOWN");
	assert_string_equal(capability_name(CAP_NET_BIND_SERVICE), "CAP_NET_BIND_SERVICE");
	assert_string_equal(capability_name(CAP_SYS_ADMIN), "CAP_SYS_ADMIN");
	assert_string_equal(capability_name(CAP_SYSLOG), "CAP_SYSLOG");
	assert_string_equal(capability_name(40), "CAP_CHECKPOINT_RESTORE");
	assert_null(capability_name(41));
	assert_null(capability_name(-1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "in-child.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/files/fds.h"

static int is_null(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

static int close_and_open(void)
{
	close(0);
	close(2);
	if (fds_open_standard() < 0)
		return 1;
	if (!is_null(0) || !is_null(2) || fcntl(1, F_GETFD) != 0)
		return 2;
	return fcntl(0, F_GETFD) & FD_CLOEXEC ? 3 : 0;
}

static void test_standard_descriptors_are_open(void **state)
{
	assert_int_equal(in_child(close_and_open), 0);
}

static int close_some(void)
{
	dup2(0, 4);
	dup2(0, 5);
	dup2(0, 900);
	fds_close_from(5);
	if (fcntl(0, F_GETFD) < 0 || fcntl(4, F_GETFD) < 0)
		return 1;
	return fcntl(5, F_GETFD) < 0 && fcntl(900, F_GETFD) < 0 ? 0 : 2;
}

static void test_higher_descriptors_are_closed(void **state)
{
	assert_int_equal(in_child(close_some), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_standard_descriptors_are_open),
		cmocka_unit_test(test_higher_descriptors_are_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

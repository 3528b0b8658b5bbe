/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/bus-guard.h"

#define SIZE ((size_t)3 * 65536)

/* Returns the sum of the bytes of a file that is truncated while mapped, or -1 if that went unnoticed. */
static int read_cut_file(bool guarded)
{
	int fd = memfd_create("test", MFD_CLOEXEC), sum = 0;
	struct guarded_file file = { .size = SIZE };

	if (ftruncate(fd, (off_t)SIZE) < 0 || pwrite(fd, "\1", 1, 0) != 1 ||
	    pwrite(fd, "\2", 1, (off_t)SIZE - 1) != 1)
		return -1;
	file.start = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file.start == MAP_FAILED || bus_guard_install() < 0)
		return -1;
	if (guarded)
		bus_guard_add(&file);
	if (ftruncate(fd, 1) < 0)
		return -1;
	for (size_t i = 0; i < SIZE; i++)
		sum += file.start[i];
	return file.is_cut && bus_guard_count() ? sum : -1;
}

static int status_of(bool guarded)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		signal(SIGBUS, SIG_DFL);
		_exit(read_cut_file(guarded) == 1 ? 0 : 1);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void truncated_pages_read_as_zeros(void **state)
{
	int status = status_of(true);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Faults outside guarded files still kill the process. */
static void other_bus_errors_are_not_hidden(void **state)
{
	int status = status_of(false);

	/* Sanitizers install their own SIGBUS handler, which exits. */
	assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS : WEXITSTATUS(status) != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncated_pages_read_as_zeros),
		cmocka_unit_test(other_bus_errors_are_not_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

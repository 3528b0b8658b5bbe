/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/process/exec-stop.h"
#include "kernel/tracefs/hold.h"

/*
 * Forks a process that waits for a byte, makes some system calls, and executes @path or, if that is
 * NULL, exits.
 */
static pid_t start(const char *path, int *ret_go)
{
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char byte;

		close(ends[1]);
		if (read(ends[0], &byte, 1) != 1)
			_exit(3);
		getppid();
		if (path)
			execl(path, path, (char *)NULL);
		_exit(4);
	}
	close(ends[0]);
	*ret_go = ends[1];
	return pid;
}

static void let_go(int go)
{
	assert_int_equal(write(go, "", 1), 1);
	close(go);
}

static int end_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Returns whether @pid still runs this program. */
static bool is_ours(pid_t pid)
{
	char link[64], its[4096] = "", ours[4096] = "";

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	assert_true(readlink(link, its, sizeof(its) - 1) > 0);
	assert_true(readlink("/proc/self/exe", ours, sizeof(ours) - 1) > 0);
	return strcmp(its, ours) == 0;
}

static void test_stops_before_exec(void **state)
{
	struct exec_stop stop;
	int go;
	pid_t pid = start("/bin/true", &go);

	assert_int_equal(exec_stop_begin(&stop, pid, true), 0);
	assert_false(stop.held);
	let_go(go);
	assert_true(exec_stop_wait(&stop));
	assert_true(is_ours(pid));
	exec_stop_end(&stop);
	assert_int_equal(end_of(pid), 0);
}

static void test_continues_after_failed_exec(void **state)
{
	struct exec_stop stop;
	int go;
	pid_t pid = start("/nowhere", &go);

	assert_int_equal(exec_stop_begin(&stop, pid, true), 0);
	let_go(go);
	assert_true(exec_stop_wait(&stop));
	exec_stop_end(&stop);
	assert_int_equal(end_of(pid), 4);
}

static void test_end_is_left_to_the_parent(void **state)
{
	struct exec_stop stop;
	int go;
	pid_t pid = start(NULL, &go);

	assert_int_equal(exec_stop_begin(&stop, pid, true), 0);
	let_go(go);
	assert_false(exec_stop_wait(&stop));
	assert_int_equal(end_of(pid), 4);
}

/* A process that is also held at exec makes both stops. */
static void test_held_process_stays_held(void **state)
{
	struct exec_stop stop;
	struct hold hold = { 0 };
	int go;
	pid_t pid = start("/bin/true", &go);

	assert_int_equal(hold_at_exec(&hold, pid, NULL), 0);
	assert_int_equal(exec_stop_begin(&stop, pid, true), 0);
	assert_true(stop.held);
	let_go(go);
	assert_true(exec_stop_wait(&stop));
	assert_true(is_ours(pid));
	exec_stop_end(&stop);
	assert_int_equal(hold_wait_exec(&hold, NULL), 0);
	assert_false(is_ours(pid));
	hold_release(&hold);
	assert_int_equal(end_of(pid), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stops_before_exec),
		cmocka_unit_test(test_continues_after_failed_exec),
		cmocka_unit_test(test_end_is_left_to_the_parent),
		cmocka_unit_test(test_held_process_stays_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

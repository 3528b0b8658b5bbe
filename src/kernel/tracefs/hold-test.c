/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/tracefs/hold.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "test.h"

static void *rest(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* A child with two threads that sleep; returns when it is ready. */
static pid_t start_sleeper(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		pthread_t thread;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (pthread_create(&thread, NULL, rest, NULL) != 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		rest(NULL);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* The state of a task in /proc: 't' if it is stopped by its tracer. */
static char state_of(pid_t tid)
{
	char path[64], line[512];
	_cleanup_fclose_ FILE *f = NULL;
	const char *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	f = fopen(path, "re");
	if (!f || !fgets(line, sizeof(line), f))
		return 0;
	p = strrchr(line, ')');
	return p ? p[2] : 0;
}

static void test_process(void **state)
{
	pid_t pid = start_sleeper();
	struct hold hold = { 0 };
	pid_t tids[2];
	int r;

	assert_true(pid > 0);
	r = hold_process(&hold, pid, NULL);
	if (r == -EPERM) {
		end(pid);
		skip_because("ptrace is not permitted");
	}
	assert_int_equal(r, 0);
	assert_int_equal(hold.n, 2);
	memcpy(tids, hold.tids, sizeof(tids));
	for (int i = 0; i < 2; i++) {
		assert_int_equal(state_of(tids[i]), 't');
		assert_int_equal(task_process(tids[i]), pid);
	}
	hold_release(&hold);
	for (int i = 0; i < 2; i++)
		assert_int_not_equal(state_of(tids[i]), 't');
	end(pid);
	assert_int_equal(hold_process(&hold, pid, NULL), -ENOENT);
	assert_int_equal(task_process(pid), -ESRCH);
}

static void test_exec(void **state)
{
	struct hold hold = { 0 };
	int go[2], status, r;
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(go[1]);
		if (read(go[0], &byte, 1) == 1)
			execl("/bin/sh", "sh", "-c", "exit 7", NULL);
		_exit(1);
	}
	close(go[0]);
	r = hold_at_exec(&hold, pid, NULL);
	if (r == -EPERM) {
		end(pid);
		skip_because("ptrace is not permitted");
	}
	assert_int_equal(r, 0);
	assert_int_equal(write(go[1], &byte, 1), 1);
	close(go[1]);
	assert_int_equal(hold_wait_exec(&hold, NULL), 0);
	assert_int_equal(state_of(pid), 't');
	hold_release(&hold);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 7);
}

/* A child that exits without executing a program. */
static void test_exit_without_exec(void **state)
{
	struct hold hold = { 0 };
	int go[2], status, r;
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* If the parent is gone already, the signal never comes, but the read returns. */
		close(go[1]);
		_exit(read(go[0], &byte, 1) == 1 ? 3 : 1);
	}
	r = hold_at_exec(&hold, pid, NULL);
	if (r == -EPERM) {
		end(pid);
		skip_because("ptrace is not permitted");
	}
	assert_int_equal(r, 0);
	assert_int_equal(write(go[1], &byte, 1), 1);
	assert_true(hold_wait_exec(&hold, NULL) < 0);
	hold_release(&hold);
	/* It can still be reaped. */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 3);
	close(go[0]);
	close(go[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_exit_without_exec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

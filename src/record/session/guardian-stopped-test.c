/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/session/guardian.h"
#include "temp-file.h"

/* A process that has the journal open, or not, and waits to be killed. */
static pid_t start(const struct journal *journal, bool has_journal)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (!has_journal)
			close(journal->fd);
		(void)!write(ready[1], &byte, 1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void stop(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGSTOP), 0);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void open_journal(struct journal *journal)
{
	*journal = (struct journal){ .fd = open(temp_path, O_RDWR | O_CLOEXEC) };
	assert_true(journal->fd >= 0);
}

static void recognizes_a_stopped_process(void **state)
{
	struct journal journal;
	pid_t guardian;

	open_journal(&journal);
	guardian = start(&journal, true);
	assert_false(guardian_is_stopped(guardian, &journal));
	assert_false(guardian_end_stopped(guardian, &journal));
	stop(guardian);
	assert_true(guardian_is_stopped(guardian, &journal));
	assert_false(guardian_end_stopped(0, &journal));
	/* The recorder is this process, which has the journal open. */
	assert_false(guardian_left_stopped(getpid(), guardian, &journal));
	assert_true(guardian_left_stopped(1 << 30, guardian, &journal));
	assert_true(guardian_end_stopped(guardian, &journal));
	assert_false(guardian_is_stopped(guardian, &journal));
	end(guardian);
	close(journal.fd);
}

static void ignores_other_processes(void **state)
{
	struct journal journal;
	pid_t other;

	open_journal(&journal);
	other = start(&journal, false);
	stop(other);
	assert_false(guardian_is_stopped(other, &journal));
	assert_false(guardian_end_stopped(other, &journal));
	assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
	end(other);
	close(journal.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recognizes_a_stopped_process),
		cmocka_unit_test(ignores_other_processes),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/file.h"
#include "record/command/child.h"
#include "temp-file.h"

static int start(struct child *child, const char *const *argv)
{
	return child_start(child, (char *const *)(uintptr_t)argv, NULL, NULL);
}

/* Runs a line of shell code. Returns its exit code or a negative errno. */
static int run(const char *line, enum child_output output)
{
	const char *argv[] = { "/bin/sh", "-c", line, NULL };
	_cleanup_child_ struct child child = { .channel = -1, .output = output };
	int r = start(&child, argv);

	if (r == 0)
		r = child_go(&child, NULL, 0, NULL);
	if (r < 0)
		return r;
	child_wait(&child);
	assert_true(child_ended(&child));
	return child_exit_code(&child);
}

static void reports_how_it_ended(void **state)
{
	assert_int_equal(run("exit 0", CHILD_OUTPUT_OURS), 0);
	assert_int_equal(run("exit 3", CHILD_OUTPUT_OURS), 3);
	assert_int_equal(run("kill -9 $$", CHILD_OUTPUT_OURS), 128 + 9);
}

static void writes_nowhere(void **state)
{
	assert_int_equal(run("[ /proc/self/fd/1 -ef /dev/null ] && "
			     "[ /proc/self/fd/2 -ef /dev/null ]",
			     CHILD_OUTPUT_NOWHERE),
			 0);
	assert_int_equal(run("[ /proc/self/fd/1 -ef /proc/self/fd/2 ]", CHILD_OUTPUT_STDERR), 0);
}

static void inherits_three_files(void **state)
{
	/* Deliberately without O_CLOEXEC. */
	int fd = open("/dev/null", O_RDONLY);

	assert_true(fd > STDERR_FILENO);
	assert_int_equal(run("for fd in /proc/$$/fd/*; do case ${fd##*/} in [012]) ;; *) "
			     "[ \"$fd\" -ef /dev/null ] && exit 1;; esac; done; exit 0",
			     CHILD_OUTPUT_OURS),
			 0);
	close(fd);
}

static int switch_on(void *data)
{
	int *count = data;

	(*count)++;
	return 0;
}

static int cannot_switch_on(void *data)
{
	return -EPERM;
}

static void enables_tracing_before_it_runs(void **state)
{
	/* The file has the contents that the command sees when it runs. */
	const char *argv[] = { "/bin/sh", "-c", "[ \"$(cat \"$0\")\" = 1 ]", temp_path, NULL };
	int count = 0, fd = open(temp_path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	_cleanup_child_ struct child child = CHILD_NONE;

	assert_true(fd >= 0);
	assert_int_equal(start(&child, argv), 0);
	child.switch_on = switch_on;
	child.data = &count;
	assert_false(child_ended(&child));
	assert_int_equal(child_go(&child, &fd, 1, NULL), 0);
	close(fd);
	child_wait(&child);
	assert_int_equal(child_exit_code(&child), 0);
	assert_int_equal(count, 1);
}

static void does_not_run_if_enabling_fails(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "echo ran >\"$0\"", temp_path, NULL };
	_cleanup_child_ struct child child = CHILD_NONE;
	char line[16];

	assert_int_equal(truncate(temp_path, 0), 0);
	assert_int_equal(start(&child, argv), 0);
	child.switch_on = cannot_switch_on;
	assert_int_equal(child_go(&child, NULL, 0, NULL), -EPERM);
	assert_true(child_ended(&child));
	assert_int_equal(file_read_line(AT_FDCWD, temp_path, line, sizeof(line)), 0);
}

/* Returns the result of child_go() for a command. */
static int go(const char *command, const char *argument)
{
	const char *argv[] = { command, argument, NULL };
	_cleanup_child_ struct child child = CHILD_NONE;
	int r = start(&child, argv);

	if (r == 0)
		r = child_go(&child, NULL, 0, NULL);
	if (r < 0)
		return r;
	child_wait(&child);
	return child_exit_code(&child);
}

static void reports_commands_that_cannot_run(void **state)
{
	assert_int_equal(go("/nonexistent/command", NULL), -ENOENT);
	assert_int_equal(go("fathom-no-such-command", NULL), -ENOENT);
	assert_int_equal(file_write(AT_FDCWD, temp_path, O_TRUNC, "exit $1\n"), 0);
	assert_int_equal(chmod(temp_path, 0600), 0);
	assert_int_equal(go(temp_path, "5"), -EACCES);
}

/* As execvp() does. */
static void runs_a_script_without_an_interpreter_in_the_shell(void **state)
{
	assert_int_equal(file_write(AT_FDCWD, temp_path, O_TRUNC, "exit $1\n"), 0);
	assert_int_equal(chmod(temp_path, 0700), 0);
	assert_int_equal(go(temp_path, "5"), 5);
	assert_int_equal(chmod(temp_path, 0600), 0);
}

static void measures_system_calls_while_it_waits(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "exit 3", NULL };
	_cleanup_child_ struct child child = CHILD_NONE;
	struct syscall_time first = { 0 }, second = { 0 };

	assert_int_equal(start(&child, argv), 0);
	assert_int_equal(child_measure(&child, SYSCALL_LEAST, &first, NULL), 0);
	assert_true(first.ns > 1 && first.calls > 0);
	for (enum syscall_kind kind = 0; kind < SYSCALL_KINDS; kind++) {
		assert_int_equal(child_measure(&child, kind, &second, NULL), 0);
		assert_true(second.ns > 1 && second.calls > 0);
	}
	assert_int_equal(child_go(&child, NULL, 0, NULL), 0);
	child_wait(&child);
	assert_int_equal(child_exit_code(&child), 3);
}

static void reports_if_it_cannot_measure(void **state)
{
	const char *argv[] = { "/bin/true", NULL };
	_cleanup_child_ struct child child = CHILD_NONE;
	struct fathom_err err = { 0 };
	struct syscall_time time;

	assert_int_equal(start(&child, argv), 0);
	assert_int_equal(kill(child.pid, SIGKILL), 0);
	assert_int_equal(child_measure(&child, SYSCALL_LEAST, &time, &err), -EIO);
	assert_non_null(strstr(err.message, "process died"));
}

static void kills_a_command_that_was_not_released(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "echo ran >\"$0\"", temp_path, NULL };
	struct child child = CHILD_NONE;
	char line[16];

	assert_int_equal(truncate(temp_path, 0), 0);
	assert_int_equal(start(&child, argv), 0);
	child_done(&child);
	assert_int_equal(child.pid, 0);
	assert_int_equal(child_exit_code(&child), CHILD_EXIT_OURS);
	assert_int_equal(file_read_line(AT_FDCWD, temp_path, line, sizeof(line)), 0);
	/* Calling it again does nothing. */
	child_done(&child);
}

static void rejects_an_unknown_user(void **state)
{
	char name[] = "true", *argv[] = { name, NULL };
	struct child child = CHILD_NONE;
	struct fathom_err err = { 0 };

	assert_true(child_start(&child, argv, "fathom-no-such-user", &err) < 0);
	assert_non_null(strstr(err.message, "fathom-no-such-user"));
	assert_int_equal(child.pid, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_how_it_ended),
		cmocka_unit_test(writes_nowhere),
		cmocka_unit_test(inherits_three_files),
		cmocka_unit_test(enables_tracing_before_it_runs),
		cmocka_unit_test(does_not_run_if_enabling_fails),
		cmocka_unit_test(reports_commands_that_cannot_run),
		cmocka_unit_test(runs_a_script_without_an_interpreter_in_the_shell),
		cmocka_unit_test(measures_system_calls_while_it_waits),
		cmocka_unit_test(reports_if_it_cannot_measure),
		cmocka_unit_test(kills_a_command_that_was_not_released),
		cmocka_unit_test(rejects_an_unknown_user),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}

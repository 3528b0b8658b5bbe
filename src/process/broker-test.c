/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/broker.h"
#include "base/cleanup.h"
#include "process/sandbox.h"

/* Passes on the file of the test, and nothing else. */
static int policy(const char *name)
{
	if (strcmp(name, "/etc/passwd") != 0)
		return -EACCES;
	return broker_open_plain(name);
}

/* Returns 0 if everything is as expected, otherwise the number of the failed check. */
static int ask_all(const struct broker *broker)
{
	char long_name[BROKER_NAME_MAX + 2], byte;
	int fd = broker_open(broker, "/etc/passwd");

	if (fd < 0 || read(fd, &byte, 1) != 1 || write(fd, "x", 1) >= 0)
		return 1;
	close(fd);
	if (broker_open(broker, "/etc/group") != -EACCES)
		return 2;
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	if (broker_open(broker, long_name) != -ENAMETOOLONG || broker_open(broker, "") >= 0)
		return 3;
	long_name[BROKER_NAME_MAX] = '\0';
	if (broker_open(broker, long_name) != -EACCES)
		return 4;
	/* Thousands of times: no descriptor is leaked on either side. */
	for (int i = 0; i < 3000; i++) {
		fd = broker_open(broker, "/etc/passwd");
		if (fd < 0)
			return 5;
		close(fd);
	}
	return 0;
}

static void opens_files_that_the_policy_allows(void **state)
{
	struct broker broker = BROKER_NONE;

	assert_int_equal(broker_open(&broker, "/etc/passwd"), -ENOENT);
	assert_int_equal(broker_start(&broker, policy, NULL), 0);
	assert_int_equal(ask_all(&broker), 0);
	broker_done(&broker);
	broker_done(&broker);
}

static void works_from_inside_the_sandbox(void **state)
{
	struct broker broker = BROKER_NONE;
	int status;
	pid_t pid;

	assert_int_equal(broker_start(&broker, policy, NULL), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int reached = sandbox_enter_asking(NULL);

		if (reached < 0)
			_exit(100);
		if (reached & SANDBOX_SECCOMP && open("/etc/passwd", O_RDONLY) >= 0)
			_exit(101);
		_exit(ask_all(&broker));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	broker_done(&broker);
}

static void ends_when_the_reader_dies(void **state)
{
	struct broker broker = BROKER_NONE;

	assert_int_equal(broker_start(&broker, policy, NULL), 0);
	close(broker.process.fd);
	assert_int_equal(waitpid(broker.process.pid, NULL, 0), broker.process.pid);
}

static void opens_plain_files_only(void **state)
{
	const char *root = tree_make();
	char path[256];
	int fd;

	tree_file("/plain", "text");
	tree_link("/link", "plain");
	snprintf(path, sizeof(path), "%s/link", root);
	fd = broker_open_plain(path);
	assert_true(fd >= 0);
	close(fd);
	/* Opening a pipe without a writer would block. */
	snprintf(path, sizeof(path), "%s/pipe", root);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(broker_open_plain(path), -EACCES);
	assert_int_equal(broker_open_plain(root), -EACCES);
	assert_int_equal(broker_open_plain("/dev/null"), -EACCES);
	assert_int_equal(broker_open_plain("/proc/self/maps"), -EACCES);
	snprintf(path, sizeof(path), "%s/none", root);
	assert_int_equal(broker_open_plain(path), -ENOENT);
	tree_remove();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_files_that_the_policy_allows),
		cmocka_unit_test(works_from_inside_the_sandbox),
		cmocka_unit_test(ends_when_the_reader_dies),
		cmocka_unit_test(opens_plain_files_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "process/sandbox.h"

/* Runs @inside in a child that has entered the sandbox; returns its exit status. */
static int in_sandbox(int (*inside)(int reached))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		int reached = sandbox_enter(NULL);

		_exit(reached < 0 ? 100 : inside(reached));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int still_works(int reached)
{
	char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *q = malloc(1 << 22);
	char byte;
	int ends[2] = { 0, 1 };

	if (p == MAP_FAILED || !q || munmap(p, 1 << 20) < 0)
		return 1;
	free(q);
	return read(ends[0], &byte, 0) != 0;
}

static int is_not_root(int reached)
{
	return getuid() == 0 || geteuid() == 0 || setuid(0) == 0;
}

static int says_what_it_reached(int reached)
{
	return reached & SANDBOX_SECCOMP ? 2 : reached & SANDBOX_LANDLOCK ? 1 : 0;
}

/* Returns 0 if every attempt was rejected, otherwise the number of the first that was not. */
static int tries_to_get_out(int reached)
{
	if (open("/etc/passwd", O_RDONLY) >= 0)
		return 1;
	if (open("/tmp/fathom-sandbox-test", O_WRONLY | O_CREAT, 0600) >= 0)
		return 2;
	if (openat(AT_FDCWD, "/proc/self/mem", O_RDWR) >= 0)
		return 3;
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0)
		return 4;
	if (kill(getppid(), 0) == 0)
		return 5;
	if (fork() >= 0)
		return 6;
	if (unlink("/tmp/fathom-sandbox-test") == 0)
		return 7;
	execl("/bin/true", "true", (char *)NULL);
	return 0;
}

/*
 * Settings and size of the terminal are available; input cannot be injected, and nothing else is
 * open.
 */
static int uses_terminal(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);
	struct winsize size;
	struct termios termios;
	int reached = sandbox_enter_terminal(NULL);
	char c = 'x';

	if (fd < 0 || reached < 0)
		return 100;
	if (!(reached & SANDBOX_SECCOMP))
		return 0;
	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || tcgetattr(fd, &termios) < 0 ||
	    tcsetattr(fd, TCSANOW, &termios) < 0)
		return 1;
	if (ioctl(fd, TIOCSTI, &c) == 0 || errno != EPERM)
		return 2;
	if (ioctl(fd, TIOCSWINSZ, &size) == 0)
		return 3;
	if (sendmsg(0, NULL, 0) == 0 || errno != EPERM)
		return 4;
	return open("/etc/passwd", O_RDONLY) >= 0 ? 5 : 0;
}

static void allows_the_viewer_its_terminal(void **state)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(uses_terminal());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int asks_a_terminal(int reached)
{
	struct winsize size;

	return ioctl(0, TIOCGWINSZ, &size) < 0 && errno == EPERM ? 0 :
								   !!(reached & SANDBOX_SECCOMP);
}

static void denies_others_a_terminal(void **state)
{
	assert_int_equal(in_sandbox(asks_a_terminal), 0);
}

static void allows_reading(void **state)
{
	assert_int_equal(in_sandbox(still_works), 0);
}

static void drops_root(void **state)
{
	if (getuid() != 0)
		skip_because("only root can give up root");
	assert_int_equal(in_sandbox(is_not_root), 0);
}

static void denies_opening_other_files(void **state)
{
	/* With sanitizers, or on a kernel without seccomp, there is nothing to test. */
	if (in_sandbox(says_what_it_reached) < 2)
		skip_because("no seccomp, or a sanitizer is in the way");
	assert_int_equal(in_sandbox(tries_to_get_out), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allows_the_viewer_its_terminal),
		cmocka_unit_test(denies_others_a_terminal),
		cmocka_unit_test(allows_reading),
		cmocka_unit_test(drops_root),
		cmocka_unit_test(denies_opening_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

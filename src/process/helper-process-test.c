/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/helper-process.h"

#include "test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/sandbox.h"

/* The behavior of the process, and its findings about itself. */
struct about {
	bool ignores_interrupt;
	int death_signal;
	int descriptor;
	bool has_others;
};

enum manner {
	ENDS, /* when no client is left */
	HANGS,
	DAWDLES,
};

#define DAWDLE_MS 1500
#define CODE	  7

static void serve(int fd, void *data)
{
	enum manner manner = *(enum manner *)data;
	struct about about = { .descriptor = fd };
	struct sigaction action;
	char byte;

	sigaction(SIGINT, NULL, &action);
	about.ignores_interrupt = action.sa_handler == SIG_IGN;
	prctl(PR_GET_PDEATHSIG, &about.death_signal);
	for (int other = 0; other < 64; other++)
		about.has_others |= other != fd && fcntl(other, F_GETFD) >= 0;
	while (read(fd, &byte, 1) == 1)
		if (write(fd, &about, sizeof(about)) < 0)
			return;
	if (manner == HANGS)
		poll(NULL, 0, -1);
	if (manner == DAWDLES) {
		poll(NULL, 0, DAWDLE_MS);
		_exit(CODE);
	}
}

static void start(struct helper_process *process, enum manner manner, bool keeps_files)
{
	const struct helper_process_options options = { .serve = serve,
							.data = &manner,
							.keeps_files = keeps_files };

	assert_int_equal(helper_process_start(process, &options, NULL), 0);
	assert_true(process->fd >= 0);
	assert_true(process->pid > 0);
}

static struct about ask(const struct helper_process *process)
{
	struct about about;

	assert_int_equal(send(process->fd, "", 1, MSG_NOSIGNAL), 1);
	assert_int_equal(recv(process->fd, &about, sizeof(about), 0), sizeof(about));
	return about;
}

static void inherits_only_the_socket(void **state)
{
	struct helper_process process = HELPER_PROCESS_NONE;
	struct about about;

	start(&process, ENDS, false);
	about = ask(&process);
	assert_true(about.ignores_interrupt);
	assert_int_equal(about.death_signal, SIGKILL);
	assert_int_equal(about.descriptor, 0);
	assert_false(about.has_others);
	helper_process_done(&process);
	assert_int_equal(process.fd, -1);
	assert_int_equal(process.pid, 0);
	assert_true(WIFEXITED(process.status));
	helper_process_done(&process);
	start(&process, ENDS, true);
	about = ask(&process);
	assert_int_equal(about.death_signal, SIGKILL);
	assert_true(about.has_others);
	helper_process_finish(&process);
	assert_true(WIFEXITED(process.status));
}

static void waits_for_the_given_time(void **state)
{
	struct helper_process process = HELPER_PROCESS_NONE;

	start(&process, HANGS, false);
	assert_false(helper_process_exits(&process, 0));
	assert_false(helper_process_exits(&process, 20));
	helper_process_done(&process);
	assert_true(WIFSIGNALED(process.status));
	assert_int_equal(WTERMSIG(process.status), SIGKILL);
	start(&process, DAWDLES, false);
	helper_process_finish(&process);
	assert_true(WIFEXITED(process.status));
	assert_int_equal(WEXITSTATUS(process.status), CODE);
	assert_true(helper_process_exits(&process, 0));
}

static void keeps_the_exit_status(void **state)
{
	struct helper_process process = HELPER_PROCESS_NONE;
	siginfo_t info;

	start(&process, ENDS, false);
	assert_int_equal(shutdown(process.fd, SHUT_RDWR), 0);
	assert_int_equal(waitid(P_PID, (id_t)process.pid, &info, WEXITED | WNOWAIT), 0);
	helper_process_kill(&process);
	assert_true(WIFEXITED(process.status));
}

/* There, it can be neither killed nor waited for indefinitely. */
static void is_left_alone_in_a_sandbox(void **state)
{
	int ends[2], status;
	pid_t owner, pid;

	/* The one that is left alone becomes our child. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(ends), 0);
	owner = helper_process_fork();
	assert_true(owner >= 0);
	if (owner == 0) {
		struct helper_process process = HELPER_PROCESS_NONE;

		start(&process, HANGS, false);
		if (write(ends[1], &process.pid, sizeof(process.pid)) < 0)
			_exit(99);
		if (sandbox_enter_asking(NULL) < 0)
			_exit(100);
		helper_process_done(&process);
		_exit(process.fd == -1 && process.pid == 0 ? 0 : 101);
	}
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	assert_int_equal(helper_process_reap(owner, 60000, &status), 0);
	assert_int_equal(status, 0);
	/* Without privileges, its owner cannot have killed it. */
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(helper_process_reap(pid, 60000, &status), 0);
	close(ends[0]);
	close(ends[1]);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* As with all children while SIGCHLD is ignored. */
static void is_forgotten_when_reaped_by_another(void **state)
{
	struct helper_process process;

	start(&process, ENDS, false);
	assert_int_equal(kill(process.pid, SIGKILL), 0);
	assert_int_equal(waitpid(process.pid, NULL, 0), process.pid);
	assert_false(helper_process_exits(&process, 0));
	assert_int_equal(process.pid, 0);
	helper_process_done(&process);
}

static void dies_with_its_owner(void **state)
{
	int ends[2], status;
	pid_t owner, pid;

	/* Orphans of the owner become our children. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(ends), 0);
	owner = helper_process_fork();
	assert_true(owner >= 0);
	if (owner == 0) {
		struct helper_process process = HELPER_PROCESS_NONE;

		start(&process, HANGS, false);
		ask(&process);
		_exit(write(ends[1], &process.pid, sizeof(process.pid)) < 0);
	}
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	assert_int_equal(helper_process_reap(owner, -1, &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(helper_process_reap(pid, 60000, &status), 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	close(ends[0]);
	close(ends[1]);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void reaps(void **state)
{
	int status = 42;
	pid_t pid = helper_process_fork();

	if (pid == 0)
		poll(NULL, 0, -1);
	assert_true(pid > 0);
	assert_int_equal(helper_process_reap(pid, 0, &status), -ETIMEDOUT);
	assert_int_equal(helper_process_reap(pid, 25, &status), -ETIMEDOUT);
	assert_int_equal(status, 42);
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(helper_process_reap(pid, -1, &status), 0);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_int_equal(helper_process_reap(pid, -1, &status), -ECHILD);
	assert_int_equal(helper_process_reap(pid, 10, &status), -ECHILD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inherits_only_the_socket),
		cmocka_unit_test(waits_for_the_given_time),
		cmocka_unit_test(keeps_the_exit_status),
		cmocka_unit_test(is_left_alone_in_a_sandbox),
		cmocka_unit_test(is_forgotten_when_reaped_by_another),
		cmocka_unit_test(dies_with_its_owner),
		cmocka_unit_test(reaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

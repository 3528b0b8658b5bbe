/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "test.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/confined-pool.h"

#define MEMORY ((uint64_t)512 << 20)

/* Executes one-letter commands, and replies with the number of commands so far. */
static void serve(int fd, void *data)
{
	unsigned char n = 0;
	char letter;

	while (read(fd, &letter, 1) == 1) {
		if (letter == 'c') {
			signal(SIGSEGV, SIG_DFL);
			raise(SIGSEGV);
		}
		if (letter == 'x')
			_exit(3);
		if (letter == 'h') {
			close(fd);
			poll(NULL, 0, -1);
		}
		for (volatile bool spins = letter == 's'; spins;)
			;
		n++;
		if (write(fd, &n, 1) != 1)
			return;
	}
}

static void start(struct confined_pool *pool)
{
	const struct confined_limits limits = { .memory = MEMORY, .seconds = 1 };

	assert_int_equal(confined_pool_start(pool, serve, NULL, &limits, NULL), 0);
}

/* Returns the reply, or 0 if the process is gone. */
static unsigned char tell(const struct confined_pool *pool, char letter)
{
	unsigned char n;

	if (send(pool->current.fd, &letter, 1, MSG_NOSIGNAL) != 1)
		return 0;
	return recv(pool->current.fd, &n, 1, 0) == 1 ? n : 0;
}

static void reports_how_it_ended(void **state)
{
	char how[CONFINED_HOW_SIZE];
	struct confined_pool pool;

	start(&pool);
	assert_int_equal(tell(&pool, 'c'), 0);
	confined_pool_fail(&pool, NULL, how);
	assert_non_null(strstr(how, "was killed by signal 11"));
	assert_true(confined_pool_replace(&pool));
	assert_int_equal(tell(&pool, 'x'), 0);
	confined_pool_fail(&pool, NULL, how);
	assert_non_null(strstr(how, "exited with status 3"));
	assert_non_null(strstr(how, "512 MB"));
	assert_true(confined_pool_replace(&pool));
	assert_int_equal(tell(&pool, 's'), 0);
	confined_pool_fail(&pool, NULL, how);
	assert_string_equal(how, "exceeded 1 s of CPU time");
	assert_true(confined_pool_replace(&pool));
	/* A process that only closes its socket is killed. */
	assert_int_equal(tell(&pool, 'h'), 0);
	confined_pool_fail(&pool, NULL, how);
	assert_string_equal(how, "stopped answering");
	assert_int_equal(pool.current.pid, 0);
	confined_pool_done(&pool);
}

static void replacements_are_limited(void **state)
{
	pid_t all[CONFINED_FAILURES_MAX], pids[CONFINED_FAILURES_MAX];
	char how[CONFINED_HOW_SIZE];
	struct confined_pool pool;

	start(&pool);
	assert_int_equal(confined_pool_pids(&pool, all), CONFINED_FAILURES_MAX);
	for (int i = 0; i < CONFINED_SPARES; i++) {
		assert_int_equal(tell(&pool, 'a'), 1);
		assert_int_equal(tell(&pool, 'a'), 2);
		assert_int_equal(kill(pool.current.pid, SIGKILL), 0);
		assert_int_equal(tell(&pool, 'a'), 0);
		confined_pool_fail(&pool, NULL, how);
		assert_int_equal(pool.current.fd, -1);
		assert_true(confined_pool_replace(&pool));
	}
	assert_int_equal(confined_pool_pids(&pool, pids), 1);
	assert_int_equal(tell(&pool, 'a'), 1);
	confined_pool_fail(&pool, "is not wanted", how);
	assert_false(confined_pool_replace(&pool));
	assert_int_equal(confined_pool_pids(&pool, pids), 0);
	confined_pool_done(&pool);
	/* No process is left: each was reaped. */
	for (int i = 0; i < CONFINED_FAILURES_MAX; i++)
		assert_int_equal(kill(all[i], 0), -1);
}

/* Busy processes are killed with their owner, even if they have another user. */
static void ends_with_its_owner(void **state)
{
	struct confined_pool pool;
	int status, channel[2];
	pid_t owner, pid;

	assert_int_equal(pipe(channel), 0);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	owner = fork();
	if (owner == 0) {
		start(&pool);
		_exit(tell(&pool, 'a') != 1 || send(pool.current.fd, "s", 1, 0) != 1 ||
		      write(channel[1], &pool.current.pid, sizeof(pid)) != sizeof(pid));
	}
	assert_int_equal(waitpid(owner, &status, 0), owner);
	assert_int_equal(status, 0);
	assert_int_equal(read(channel[0], &pid, sizeof(pid)), sizeof(pid));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	close(channel[0]);
	close(channel[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_how_it_ended),
		cmocka_unit_test(replacements_are_limited),
		cmocka_unit_test(ends_with_its_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

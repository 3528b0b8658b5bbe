/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests source lines of copies of this program while the process that reads their debug information
 * is killed.
 */
#include "test.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/negative-errno.h"
#include "process/fd-message.h"
#include "actions/names/line-helper.h"

struct fixture {
	struct line_helper helper;
	struct user_symbols symbols;
	int files[2];
	char good[32], bad[32]; /* paths of these */
};

/* Functions to query; results are cached. */
__attribute__((noinline, used)) int test_function_a(void);
__attribute__((noinline, used)) int test_function_b(void);
__attribute__((noinline, used)) int test_function_c(void);
__attribute__((noinline, used)) int test_function_d(void);
__attribute__((noinline, used)) int test_function_e(void);

int test_function_a(void)
{
	return 1;
}

int test_function_b(void)
{
	return 2;
}

int test_function_c(void)
{
	return 3;
}

int test_function_d(void)
{
	return 4;
}

int test_function_e(void)
{
	return 5;
}

static int open_plain(void *data, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? negative_errno() : fd;
}

static int copy_self(char path[32])
{
	_cleanup_close_ int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int fd = memfd_create("copy", MFD_CLOEXEC);
	char block[65536];
	ssize_t n;

	while ((n = read(from, block, sizeof(block))) > 0)
		assert_int_equal(write(fd, block, (size_t)n), n);
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

static void use(struct fixture *f, struct user_symbols *symbols)
{
	*symbols = (struct user_symbols){ .opener = { open_plain, NULL, false } };
	line_helper_use(&f->helper, symbols);
}

static size_t lines_of(struct user_symbols *symbols, const char *path, const char *function)
{
	const struct source_frame *frames;
	struct user_symbol symbol;

	assert_true(user_symbols_function(symbols, path, function, &symbol));
	return user_symbols_lines(symbols, &symbol, &frames);
}

static void start(struct fixture *f)
{
	if (!source_lines_supported())
		skip_because("no libdw");
	f->files[0] = copy_self(f->good);
	f->files[1] = copy_self(f->bad);
	assert_int_equal(line_helper_start(&f->helper, NULL), 0);
	use(f, &f->symbols);
	assert_int_equal(lines_of(&f->symbols, f->good, "test_function_a"), 1);
}

static void stop(struct fixture *f)
{
	user_symbols_done(&f->symbols);
	line_helper_done(&f->helper);
	close(f->files[0]);
	close(f->files[1]);
}

static void kill_helper(const struct fixture *f)
{
	siginfo_t info;

	assert_true(f->helper.pool.current.pid > 0);
	assert_int_equal(kill(f->helper.pool.current.pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)f->helper.pool.current.pid, &info, WEXITED | WNOWAIT),
			 0);
}

/* Kills the process after a question; it is stopped so that it cannot answer first. */
static pid_t kill_asked_helper(const struct fixture *f)
{
	const struct helper_process *process = &f->helper.pool.current;
	siginfo_t info;
	pid_t killer;

	assert_true(process->pid > 0);
	assert_int_equal(kill(process->pid, SIGSTOP), 0);
	assert_int_equal(waitid(P_PID, (id_t)process->pid, &info, WSTOPPED | WNOWAIT), 0);
	killer = fork();
	if (killer == 0) {
		/* A failed test leaves no process behind. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int under_way = 0; !under_way; usleep(1000))
			if (ioctl(process->fd, SIOCOUTQ, &under_way) < 0)
				_exit(1);
		_exit(kill(process->pid, SIGKILL) < 0);
	}
	assert_true(killer > 0);
	return killer;
}

static void is_restarted_without_the_bad_file(void **state)
{
	struct fixture f = { 0 };
	struct user_symbols other;
	int status;
	pid_t killer;

	start(&f);
	killer = kill_asked_helper(&f);
	assert_int_equal(lines_of(&f.symbols, f.bad, "test_function_a"), 0);
	assert_int_equal(waitpid(killer, &status, 0), killer);
	assert_int_equal(status, 0);
	assert_int_equal(f.helper.n_failures, 1);
	assert_string_equal(f.helper.failures[0].path, f.bad);
	assert_non_null(strstr(f.helper.failures[0].how, "was killed by signal 9"));
	/*
	 * The file is not read again, not for another recording either; other files still have
	 * lines.
	 */
	assert_int_equal(lines_of(&f.symbols, f.bad, "test_function_b"), 0);
	assert_int_equal(f.symbols.unread_line, 2);
	assert_int_equal(lines_of(&f.symbols, f.good, "test_function_b"), 1);
	use(&f, &other);
	assert_int_equal(lines_of(&other, f.bad, "test_function_a"), 0);
	assert_int_equal(lines_of(&other, f.good, "test_function_a"), 1);
	assert_int_equal(other.unread_line, 1);
	assert_int_equal(f.helper.n_failures, 1);
	assert_int_equal(f.helper.pool.n_spares, CONFINED_SPARES - 1);
	/* A file that was queried before is also blamed. */
	killer = kill_asked_helper(&f);
	assert_int_equal(lines_of(&f.symbols, f.good, "test_function_c"), 0);
	assert_int_equal(waitpid(killer, &status, 0), killer);
	assert_int_equal(f.helper.n_failures, 2);
	assert_string_equal(f.helper.failures[1].path, f.good);
	assert_int_equal(lines_of(&other, f.good, "test_function_c"), 0);
	assert_int_equal(f.helper.n_failures, 2);
	user_symbols_done(&other);
	stop(&f);
}

/* Killed between two questions: no file is blamed. */
static void restarts_are_limited(void **state)
{
	static const char *const functions[CONFINED_SPARES] = {
		"test_function_b", "test_function_c", "test_function_d", "test_function_e"
	};
	struct fixture f = { 0 };

	start(&f);
	for (size_t i = 0; i < CONFINED_SPARES; i++) {
		kill_helper(&f);
		assert_int_equal(lines_of(&f.symbols, f.good, functions[i]), 1);
		assert_int_equal(f.helper.n_failures, i + 1);
		assert_null(f.helper.failures[i].path);
	}
	assert_int_equal(f.symbols.unread_line, 0);
	kill_helper(&f);
	assert_int_equal(lines_of(&f.symbols, f.bad, "test_function_b"), 0);
	assert_int_equal(f.helper.n_failures, CONFINED_FAILURES_MAX);
	assert_int_equal(f.symbols.unread_line, 1);
	assert_int_equal(lines_of(&f.symbols, f.bad, "test_function_a"), 0);
	assert_int_equal(f.helper.n_failures, CONFINED_FAILURES_MAX);
	stop(&f);
}

/* A file that arrives with an answer is closed: a reader has only a few hundred descriptors. */
static void closes_files_attached_to_answers(void **state)
{
	struct line_helper helper = LINE_HELPER_NONE;
	struct user_symbols symbols = { 0 };
	char text[] = "answer", answer[32];
	int ends[2], before;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	helper.pool.current.fd = ends[0];
	line_helper_use(&helper, &symbols);
	before = dup(0);
	close(before);
	for (int i = 0; i < 3; i++) {
		const struct iovec part = { text, sizeof(text) };
		const struct user_line_question question = { 0 };
		uint32_t file = 0;
		size_t len = 0;

		assert_int_equal(fd_message_send(ends[1], &part, 1, 0, 0), 0);
		assert_int_equal(symbols.line_asker.ask(symbols.line_asker.data, &file, &question,
							answer, sizeof(answer), &len),
				 0);
		assert_int_equal(len, sizeof(text));
	}
	/* The lowest free number. */
	assert_int_equal(dup(0), before);
	close(before);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closes_files_attached_to_answers),
		cmocka_unit_test(is_restarted_without_the_bad_file),
		cmocka_unit_test(restarts_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recorder and guardian share a socket. A request is one byte. End of file, which the guardian gets
 * when the recorder has died, also means "restore".
 */
#include "record/session/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/negative-errno.h"
#include "base/str.h"

enum request {
	REQUEST_RESTORE = 'r',
	REQUEST_RELEASE = 'k',
};

struct answer {
	int code; /* 0 or a negative errno */
	struct restore_result result;
	char message[FATHOM_ERR_MESSAGE_SIZE];
};

/* The recorder waits if it has asked for this; if it has died, no process waits. */
#define WAIT_ASKED_MS 2000
#define WAIT_ALONE_MS 10000
/* Interval at which the recorder checks whether an unresponsive guardian is stopped. */
#define LOOK_MS 1000

int journal_replay(struct journal *journal, const struct session_env *env, unsigned wait_ms,
		   struct restore_result *ret_result, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	struct fathom_err why = { 0 };
	const char *message;
	int r = journal_load(journal, &bytes, &records, err);

	if (r < 0)
		return r;
	r = records_restore(&records, env, wait_ms, ret_result, &why);
	if (r == 0)
		return journal_remove(journal, err);
	message = fathom_err_text(&why);
	/* For later readers. Don't repeat the same message. */
	if (records.list[records.n - 1].type != RECORD_FAILED ||
	    !str_eq(records.list[records.n - 1].field[0], message)) {
		journal_add(journal, RECORD_FAILED, &message, 1);
		journal_commit(journal, NULL);
	}
	return err_set(err, r, "%s", message);
}

static void ignore_signals(void)
{
	static const int signals[] = { SIGHUP,	SIGINT,	 SIGQUIT,   SIGTERM, SIGPIPE, SIGALRM,
				       SIGUSR1, SIGUSR2, SIGTSTP,   SIGTTIN, SIGTTOU, SIGCHLD,
				       SIGXFSZ, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO };
	sigset_t none;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Other descriptors of the recorder must not be kept open by us: pipes, terminals, instances. */
static void guardian_close_others(const int *keep, size_t nkeep)
{
	long max = sysconf(_SC_OPEN_MAX);
	int from = 3;

	/* @keep is in ascending order; the gaps between its members are closed. */
	for (size_t i = 0; i <= nkeep; i++) {
		unsigned to = i < nkeep ? (unsigned)keep[i] - 1 : ~0u;

		if (i < nkeep && keep[i] < from)
			continue;
		if ((unsigned)from <= to && syscall(SYS_close_range, from, to, 0) < 0)
			for (int fd = from; fd <= (to == ~0u ? (int)max : (int)to); fd++)
				close(fd);
		if (i < nkeep)
			from = keep[i] + 1;
	}
}

static void sort_fds(int *fds, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j > 0 && fds[j - 1] > fds[j]; j--) {
			int fd = fds[j];

			fds[j] = fds[j - 1];
			fds[j - 1] = fd;
		}
}

static bool has_fd(const int *fds, size_t n, int fd)
{
	for (size_t i = 0; i < n; i++)
		if (fds[i] == fd)
			return true;
	return false;
}

static void detach(int control, const struct journal *journal, const struct session_env *env)
{
	int keep[] = { control, journal->fd, env->tracefs.fd, env->journals, env->proc_sys };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	ignore_signals();
	prctl(PR_SET_NAME, "fathom-guardian");
	/* Last to be killed when memory is short: it frees some. Fails without the privilege. */
	file_write(AT_FDCWD, "/proc/self/oom_score_adj", 0, "-1000");
	if (chdir("/") < 0)
		return;
	sort_fds(keep, ARRAY_SIZE(keep));
	/*
	 * If the recorder was started without standard descriptors, one of ours may be among them.
	 */
	for (int fd = 0; fd < 3; fd++)
		if (!has_fd(keep, ARRAY_SIZE(keep), fd))
			dup2(null, fd);
	guardian_close_others(keep, ARRAY_SIZE(keep));
}

static void guardian_answer(int control, int code, const struct restore_result *result,
			    const struct fathom_err *err)
{
	struct answer text = { .code = code, .result = *result };

	snprintf(text.message, sizeof(text.message), "%s", code < 0 ? fathom_err_text(err) : "");
	/* The recorder may be gone. */
	send(control, &text, sizeof(text), MSG_NOSIGNAL);
}

/* Does not return. */
static void guardian_main(int control, struct journal *journal, const struct session_env *env)
{
	struct restore_result result = { 0 };
	struct fathom_err err = { 0 };
	unsigned char request = 0;
	pid_t pid = getpid();
	ssize_t n;
	int r;

	detach(control, journal, env);
	send(control, &pid, sizeof(pid), MSG_NOSIGNAL);
	do
		n = recv(control, &request, 1, 0);
	while (n < 0 && errno == EINTR);
	if (n == 1 && request == REQUEST_RELEASE)
		_exit(0);
	r = journal_replay(journal, env, n == 1 ? WAIT_ASKED_MS : WAIT_ALONE_MS, &result, &err);
	guardian_answer(control, r, &result, &err);
	_exit(r < 0);
}

/* Double fork, so that the guardian is reparented to init and nobody has to reap it. */
static int fork_twice(int control, int other, struct journal *journal, struct session_env *env,
		      struct fathom_err *err)
{
	pid_t pid = fork();

	if (pid < 0)
		return err_set_errno(err, negative_errno(), "cannot start the guardian process");
	if (pid == 0) {
		close(other);
		pid = fork();
		if (pid == 0)
			guardian_main(control, journal, env);
		_exit(pid < 0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

int guardian_start(struct journal *journal, struct session_env *env, struct guardian *ret_guardian,
		   struct fathom_err *err)
{
	int pair[2], r;
	pid_t pid;
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_set_errno(err, negative_errno(), "cannot start the guardian process");
	r = fork_twice(pair[1], pair[0], journal, env, err);
	close(pair[1]);
	if (r < 0) {
		close(pair[0]);
		return r;
	}
	do
		n = recv(pair[0], &pid, sizeof(pid), 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(pid)) {
		close(pair[0]);
		return err_set(err, -ESRCH, "the guardian process did not start");
	}
	*ret_guardian = (struct guardian){ .pid = pid, .control = pair[0] };
	return 0;
}

static int guardian_ask(struct guardian *guardian, enum request request)
{
	unsigned char byte = (unsigned char)request;

	if (guardian->control < 0)
		return -ESRCH;
	return send(guardian->control, &byte, 1, MSG_NOSIGNAL) == 1 ? 0 : -ESRCH;
}

/*
 * Waits until the socket is readable or closed. Restoring may legitimately take long, so there is no
 * timeout; but a guardian that is found stopped twice in a row is killed.
 */
static void await_word(struct guardian *guardian, const struct journal *journal)
{
	struct pollfd word = { .fd = guardian->control, .events = POLLIN };
	bool stopped = false;

	while (poll(&word, 1, LOOK_MS) <= 0) {
		bool before = stopped;

		stopped = guardian_is_stopped(guardian->pid, journal);
		if (before && stopped && guardian_end_stopped(guardian->pid, journal))
			guardian->was_stopped = true;
	}
}

/* Its exit closes the socket: from then on, the lock is ours alone. */
static void await_end(struct guardian *guardian, const struct journal *journal)
{
	unsigned char byte;
	ssize_t n;

	do {
		await_word(guardian, journal);
		n = recv(guardian->control, &byte, 1, 0);
	} while (n > 0 || (n < 0 && errno == EINTR));
	guardian_done(guardian);
}

int guardian_restore(struct guardian *guardian, const struct journal *journal,
		     struct restore_result *ret_result, struct fathom_err *err)
{
	struct answer text;
	ssize_t n;

	if (guardian_ask(guardian, REQUEST_RESTORE) < 0)
		return -ESRCH;
	do {
		await_word(guardian, journal);
		n = recv(guardian->control, &text, sizeof(text), 0);
	} while (n < 0 && errno == EINTR);
	await_end(guardian, journal);
	if (n != (ssize_t)sizeof(text))
		return -ESRCH;
	*ret_result = text.result;
	text.message[sizeof(text.message) - 1] = '\0';
	return text.code < 0 ? err_set(err, text.code, "%s", text.message) : 0;
}

int guardian_release(struct guardian *guardian, const struct journal *journal)
{
	int r = guardian_ask(guardian, REQUEST_RELEASE);

	if (r == 0)
		await_end(guardian, journal);
	else
		guardian_done(guardian);
	return r;
}

void guardian_done(struct guardian *guardian)
{
	if (guardian->control >= 0)
		close(guardian->control);
	guardian->control = -1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/input/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actions/input/damage.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/negative-errno.h"
#include "process/helper-process.h"
#include "render/kit/progress.h"

static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/* Used by the signal handler, which has no argument. */
static volatile sig_atomic_t child_pid;

static void input_child_pass_on(int sig)
{
	int saved = errno;

	if (child_pid > 0)
		kill(child_pid, sig);
	errno = saved;
}

static bool child_is_passed_on(int sig)
{
	for (size_t i = 0; i < ARRAY_SIZE(passed_on); i++)
		if (sig == passed_on[i])
			return true;
	return false;
}

static int wait_for(pid_t pid, struct fathom_err *err)
{
	int status, r = helper_process_reap(pid, -1, &status);

	if (r < 0) {
		err_set_errno(err, r, "cannot wait for a worker process");
		return EXIT_FAILED;
	}
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	if (child_is_passed_on(WTERMSIG(status)))
		err_set(err, -EINTR, "interrupted: no output was written");
	else
		err_set(err, -EINTR, "internal error: worker process killed by signal %d",
			WTERMSIG(status));
	return -WTERMSIG(status);
}

/* @serve, which may be NULL, runs in this process while @work runs in the child. */
static int child_run(int (*work)(void *arg), int (*serve)(void *arg, struct fathom_err *err),
		     void *arg, struct fathom_err *err)
{
	struct sigaction pass_on = { .sa_handler = input_child_pass_on },
			 before[ARRAY_SIZE(passed_on)];
	sigset_t blocked, mask;
	int code = EXIT_FAILED;
	pid_t pid;

	/* Buffered output would be written by both processes. */
	fflush(NULL);
	/* Block signals until the handler knows the process to forward them to. */
	sigemptyset(&blocked);
	for (size_t i = 0; i < ARRAY_SIZE(passed_on); i++)
		sigaddset(&blocked, passed_on[i]);
	sigprocmask(SIG_BLOCK, &blocked, &mask);
	pid = helper_process_fork();
	if (pid == 0) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		code = work(arg);
		fflush(NULL);
		_exit(code);
	}
	for (size_t i = 0; i < ARRAY_SIZE(passed_on); i++)
		sigaction(passed_on[i], &pass_on, &before[i]);
	child_pid = pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (pid < 0)
		err_set_errno(err, negative_errno(), "cannot start a process");
	else if (serve && serve(arg, err) < 0)
		wait_for(pid, NULL);
	else
		code = wait_for(pid, err);
	child_pid = 0;
	for (size_t i = 0; i < ARRAY_SIZE(passed_on); i++)
		sigaction(passed_on[i], &before[i], NULL);
	return code;
}

static int child_report(const struct action *action, int code, const struct fathom_err *err)
{
	if (code < 0)
		progress_erase(action->messages);
	if (err->code)
		action_failed(action, err);
	return code;
}

int child_write(const struct action *action, struct new_file *file, int (*work)(void *arg),
		void *arg)
{
	struct fathom_err err = { 0 };
	int code = child_run(work, NULL, arg, &err), plain = code & ~EXIT_MORE;

	if (code >= 0 && !err.code && (plain == EXIT_OK || plain == EXIT_DAMAGED) &&
	    new_file_commit(file, &err) < 0)
		code = EXIT_FAILED;
	return child_report(action, code, &err);
}

int child_serve(const struct action *action, int (*work)(void *arg),
		int (*serve)(void *arg, struct fathom_err *err), void *arg)
{
	struct fathom_err err = { 0 };
	int code = child_run(work, serve, arg, &err);

	return child_report(action, code, &err);
}

int child_follow(int result)
{
	if (child_is_passed_on(-result)) {
		signal(-result, SIG_DFL);
		raise(-result);
	}
	return EXIT_FAILED;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/plan/plan-run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "actions/plan/probe-progress.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/quote.h"
#include "base/strbuf.h"
#include "record/command/command-path.h"
#include "record/session/session-env.h"
#include "record/session/session-list.h"
#include "record/session/session.h"
#include "symbols/user/program-path.h"

int plan_run_no_watches(const struct plan *plan, struct fathom_err *err)
{
	if (!plan->watches.n)
		return 0;
	return err_set(err, -EINVAL,
		       "'mem:%s' is supported only by 'fathom record', 'run' and 'watch'",
		       plan->watches.list[0]);
}

int plan_run_check(const struct plan *plan, struct fathom_err *err)
{
	int r = plan_run_no_watches(plan, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < plan->n; i++) {
		const struct plan_buffer *buffer = &plan->buffers[i];

		if (buffer->tracer || buffer->returns.n || buffer->args.n)
			return 0;
		for (size_t k = 0; k < buffer->n_events; k++)
			if (!buffer->events[k].off || buffer->events[k].triggers.n)
				return 0;
	}
	return err_set(err, -EINVAL, "nothing to trace: use -p for a tracer or -e for events");
}

void plan_run_reset_left(const struct action *action)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	int n;

	if (session_env_open("", &env, NULL) < 0)
		return;
	n = session_reset_left(&env, NULL);
	if (n > 0)
		quote_printf(action->messages,
			     "fathom %s: restored the settings that %d session%s left behind\n",
			     action->name, n, n == 1 ? "" : "s");
}

char *plan_run_line(const struct action *action)
{
	struct strbuf words = { 0 }, line = { 0 };

	strbuf_adds(&line, "fathom");
	/* Arguments are NUL-terminated; skip the name of the program. */
	if (file_read(AT_FDCWD, "/proc/self/cmdline", &words) == 0 && words.len)
		for (size_t at = strlen(words.s) + 1; at < words.len;
		     at += strlen(words.s + at) + 1)
			quote_addf(&line, " %s", words.s + at);
	else
		quote_addf(&line, " %s", action->name);
	strbuf_done(&words);
	return strbuf_take(&line);
}

/* All threads of a process are traced. */
static int plan_run_add_threads(struct plan *plan, pid_t pid, struct fathom_err *err)
{
	char path[64];
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		return err_set(err, -ESRCH, "no process %d", (int)pid);
	while ((entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && tid != pid && plan_add_pid(plan, tid) < 0)
			return err_nomem(err);
	}
	return 0;
}

int plan_run_pids(struct plan_args *args, pid_t child, struct fathom_err *err)
{
	struct plan *plan = &args->plan;
	size_t n = plan->n_pids;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = plan_run_add_threads(plan, plan->pids[i], err);
	if (r == 0 && args->filter_command) {
		if (!child)
			return err_set(err, -EINVAL, "-F requires a command");
		r = plan_add_pid(plan, child) < 0 ? err_nomem(err) : 0;
	}
	if (r == 0 && plan->children && !plan->n_pids)
		return err_set(err, -EINVAL, "-c requires -F or -P");
	return r;
}

/* Resolves all links. Returns NULL if the file does not exist, or if out of memory. */
static const char *real_path(struct arena *arena, const char *path)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);
	char link[64], real[PATH_MAX];
	ssize_t n;

	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real));
	return n > 0 && (size_t)n < sizeof(real) ? arena_strndup(arena, real, (size_t)n) : NULL;
}

/* Searches as execvp() does. Returns NULL if nothing is found, or if out of memory. */
static const char *find_command(struct arena *arena, const char *name)
{
	char path[PATH_MAX];

	return command_path_find(name, path, sizeof(path)) < 0 ? NULL : real_path(arena, path);
}

int plan_run_program(struct plan *plan, const char *command, struct fathom_err *err)
{
	if (!plan->all_user_functions && !plan->user_functions.n)
		return 0;
	if (!command && plan->n_pids)
		return program_path_find("", plan->pids[0], NULL, &plan->arena, &plan->program,
					 err);
	if (!command && plan->all_user_functions)
		return err_set(err, -EINVAL, "-U requires a command or -P");
	plan->program = command ? find_command(&plan->arena, command) : NULL;
	if (command && !plan->program)
		return err_set(err, -ENOENT, "no program '%.150s'", command);
	return 0;
}

int plan_run_apply(const struct action *action, struct plan *plan, struct session *session,
		   bool quiet, struct fathom_err *err)
{
	struct probe_progress progress;
	int r;

	probe_progress_init(&progress, action->messages);
	if (!quiet) {
		plan->progress = probe_progress_take;
		plan->progress_data = &progress;
	}
	r = plan_apply(plan, session, err);
	plan->progress = NULL;
	probe_progress_done(&progress);
	return r;
}

void plan_run_notes(const struct action *action, const struct plan *plan)
{
	const char *notes = strbuf_str(&plan->notes);

	while (*notes) {
		size_t len = strcspn(notes, "\n");

		quote_printf(action->messages, "fathom %s: %.*s\n", action->name, (int)len, notes);
		notes += len + (notes[len] == '\n');
	}
}

int plan_run_symbols(struct session *session, struct fathom_err *err)
{
	char line[16];

	if (file_read_line(session_env(session)->proc_sys, "kernel/kptr_restrict", line,
			   sizeof(line)) <= 0 ||
	    line[0] != '2')
		return 0;
	return session_set_sysctl(session, "kernel/kptr_restrict", "1", err);
}

char **plan_run_argv(const struct action *action)
{
	char **argv = mem_zalloc((size_t)action->argc + 1, sizeof(*argv));

	for (int i = 0; argv && i < action->argc; i++)
		argv[i] = action->argv[i];
	return argv;
}

int plan_signals_take(struct plan_signals *signals, struct fathom_err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &signals->before);
	signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals->fd >= 0)
		return 0;
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
	return err_set_errno(err, negative_errno(), "cannot create a signal descriptor");
}

void plan_signals_done(struct plan_signals *signals)
{
	struct signalfd_siginfo info;

	if (signals->fd < 0)
		return;
	while (read(signals->fd, &info, sizeof(info)) == sizeof(info))
		;
	close(TAKE_FD(signals->fd));
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

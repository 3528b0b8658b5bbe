/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/record/record-preview.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "actions/plan/plan-run.h"
#include "actions/record/record-samples.h"
#include "actions/record/record-watch.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/user.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "record/command/command-path.h"
#include "record/plan.h"
#include "record/session/session-env.h"
#include "render/machine/recording-preview.h"

/* The data that a recording determines before it changes a setting, in the same order. */
static int check_args(struct record_args *args, bool has_command, char **argv,
		      struct fathom_err *err)
{
	struct record_watch *watch = NULL;
	struct user user;
	int r = record_samples_plan(args, err);

	if (r == 0)
		r = record_watch_plan(args, has_command, &watch, err);
	record_watch_free(watch, 0);
	if (r == 0 && has_command && args->user)
		r = user_find(args->user, &user, err);
	return r < 0 ? r : plan_run_program(&args->plan.plan, has_command ? argv[0] : NULL, err);
}

static int record_preview_preview(struct record_args *args, bool has_command,
				  struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	int r = session_env_open("", &env, err);

	if (r == 0)
		r = session_env_check(&env, err);
	/* The command has no process yet: use ours. */
	if (r == 0)
		r = plan_run_pids(&args->plan, has_command ? getpid() : 0, err);
	return r < 0 ? r : plan_preview(&args->plan.plan, &env, err);
}

static int check_output(const char *path, struct fathom_err *err)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *dir = slash ? mem_printf("%.*s", (int)(slash + 1 - path), path) :
					   mem_strdup(".");

	if (!dir)
		return err_nomem(err);
	return access(dir, W_OK | X_OK) < 0 ?
		       err_set_errno(err, negative_errno(), "cannot create '%s'", path) :
		       0;
}

/* Returns 0, or the exit status for a command that cannot be executed. */
static int check_command(const char *name, struct fathom_err *err)
{
	char path[4096];
	int r = command_path_find(name, path, sizeof(path));

	if (r == 0)
		return 0;
	err_set_errno(err, r, "'%s': cannot execute it", name);
	return r == -ENOENT ? CHILD_EXIT_MISSING : CHILD_EXIT_CANNOT;
}

int record_preview(const struct action *action, struct record_args *args, int argc, char **argv)
{
	struct recording_preview screen = { .plan = &args->plan.plan,
					    .output = args->output ?: "trace.dat",
					    .command = argc ? argv : NULL,
					    .n_pids = args->plan.plan.n_pids,
					    .command_only = args->plan.filter_command,
					    .sample_hz = args->sample_hz,
					    .for_ns = args->for_ns,
					    .max_bytes = args->max_bytes };
	struct fathom_err err = { 0 };
	int r = check_args(args, argc > 0, argv, &err), code = EXIT_NOT_RUN;

	if (r == 0)
		r = record_preview_preview(args, argc > 0, &err);
	if (r == 0)
		r = check_output(screen.output, &err);
	if (r == 0 && argc) {
		r = check_command(argv[0], &err);
		code = r ?: code;
	}
	if (!args->quiet)
		plan_run_notes(action, &args->plan.plan);
	if (r == 0) {
		screen.syscall_ns = event_price_syscall_ns();
		r = recording_preview_print(&screen, action->out) < 0 ? err_nomem(&err) : 0;
	}
	return r ? action_failed(action, &err), code : EXIT_OK;
}

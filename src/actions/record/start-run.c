/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/record/start-run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "actions/plan/left-sessions.h"
#include "actions/plan/plan-ask.h"
#include "actions/plan/plan-run.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/quote.h"
#include "record/command/child.h"
#include "record/session/journal.h"
#include "record/session/detached.h"
#include "record/session/session-env.h"
#include "record/session/session-list.h"

struct start {
	const struct action *action;
	struct start_args *args;
	struct plan *plan;
	char **argv;
	struct child child;
	struct session *session;
	bool adopted; /* existed before, and outlives a failure */
	char id[SESSION_ID_SIZE];
	int *switches; /* tracing_on of each buffer; NULL: not open */
};

void start_args_done(void *args)
{
	plan_args_done(&((struct start_args *)args)->plan);
}

static void close_switches(struct start *start)
{
	for (size_t i = 0; start->switches && i < start->plan->n; i++)
		close(start->switches[i]);
	free(start->switches);
	start->switches = NULL;
}

static void start_done(struct start *start)
{
	close_switches(start);
	child_done(&start->child);
	if (start->session && start->adopted)
		session_free(start->session);
	else if (start->session)
		put_session_back(start->action, start->session, NULL);
	free(start->argv);
}

/* With a single session, no command needs --session: a second one must be requested explicitly. */
static int check_alone(const struct start *start, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_detached_ struct detached_session detached = { 0 };
	int r;

	if (start->args->also || session_env_open("", &env, NULL) < 0)
		return 0;
	r = detached_find(&env, NULL, &detached, NULL);
	if (r == -E2BIG)
		return err_set(err, -EEXIST,
			       "detached sessions exist already; 'fathom reset' ends them, "
			       "--also starts another one");
	if (r < 0)
		return 0;
	return err_set(err, -EEXIST,
		       "session %s ('%.100s') already exists; 'fathom set' changes it, 'fathom "
		       "reset %s' ends it, --also starts another one",
		       detached.id, detached.command, detached.id);
}

static int start_child(struct start *start, struct fathom_err *err)
{
	start->argv = plan_run_argv(start->action);
	if (!start->argv)
		return err_nomem(err);
	if (!start->action->argc)
		return 0;
	return child_start(&start->child, start->argv, start->args->user, err);
}

static int open_session(struct start *start, struct fathom_err *err)
{
	_cleanup_free_ char *line = plan_run_line(start->action);
	int r = line ? session_open("", line, &start->session, err) : err_nomem(err);

	if (r == 0)
		snprintf(start->id, sizeof(start->id), "%s", session_id(start->session));
	return r;
}

static int start_run_apply(struct start *start, struct fathom_err *err)
{
	/* Tracing of an existing session is already set up. */
	double scale = start->plan->changes ? 0 : plan_ask_scale(&start->args->plan);
	int r = plan_run_pids(&start->args->plan, start->child.pid, err);

	if (r == 0)
		r = plan_run_apply(start->action, start->plan, start->session, start->args->quiet,
				   err);
	if (!start->args->quiet)
		plan_run_notes(start->action, start->plan);
	if (r == 0)
		r = plan_ask(start->action, start->plan, start->session, scale, -1, err);
	return r;
}

static int open_switches(struct start *start, struct fathom_err *err)
{
	int *fds = mem_zalloc(start->plan->n, sizeof(*fds));
	int r = fds ? plan_open_switches(start->plan, fds, err) : err_nomem(err);

	if (r < 0)
		free(fds);
	else
		start->switches = fds;
	return r;
}

/* From here on, the session needs no process. */
static int start_run_keep(struct start *start, struct fathom_err *err)
{
	struct session *session = TAKE_PTR(start->session);

	if (!start->adopted)
		return session_keep(session, err);
	session_free(session);
	return 0;
}

/* Enables tracing through the open switches, and runs the command, if any. */
static int start_run_go(struct start *start, struct fathom_err *err)
{
	size_t n = start->switches ? start->plan->n : 0;
	int r;

	if (start->child.pid) {
		r = child_go(&start->child, start->switches, n, err);
		return r < 0 ? err_prefix(err, "'%s'", start->argv[0]), r : 0;
	}
	for (size_t i = 0; i < n; i++)
		if (write(start->switches[i], "1", 1) < 0)
			return err_set_errno(err, negative_errno(), "cannot enable tracing");
	return 0;
}

/* Ends a session that was created for a command which cannot be executed. */
static int start_run_fail_to_go(struct start *start, const struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	struct restore_result result;

	close_switches(start);
	action_failed(start->action, err);
	if (!start->adopted && session_env_open("", &env, NULL) == 0)
		session_reset(&env, start->id, &result, NULL);
	return start->action->argc && !start->child.pid ? child_exit_code(&start->child) :
							  EXIT_NOT_RUN;
}

/* Returns the command's exit code. It also receives the terminal's signals. */
static int start_run_wait_for_command(struct start *start)
{
	if (!start->action->argc || start->args->fork)
		return EXIT_OK;
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	child_wait(&start->child);
	return child_exit_code(&start->child);
}

/* How start and set differ. */
struct start_kind {
	bool changes; /* changes a session, without enabling or disabling tracing */
	int (*check)(const struct plan *plan, struct fathom_err *err);
	int (*open)(struct start *start, struct fathom_err *err);
	void (*report)(const struct start *start);
};

static int start_run_carry_out(const struct action *action, struct start_args *args,
			       const struct start_kind *kind)
{
	_cleanup_(start_done) struct start start = { .action = action,
						     .args = args,
						     .child = CHILD_NONE };
	struct fathom_err err = { 0 };
	int r = plan_args_init(&args->plan, &err);

	start.plan = &args->plan.plan;
	start.plan->changes = kind->changes;
	if (r == 0 && kind->check(start.plan, &err) < 0)
		return action_usage_error(action, &err);
	plan_run_reset_left(action);
	if (r == 0)
		r = start_child(&start, &err);
	if (r == 0)
		r = kind->open(&start, &err);
	if (r == 0)
		r = start_run_apply(&start, &err);
	if (r == 0 && !kind->changes)
		r = open_switches(&start, &err);
	if (r == 0)
		r = start_run_keep(&start, &err);
	if (r < 0)
		return action_failed(action, &err), EXIT_NOT_RUN;
	if (start_run_go(&start, &err) < 0)
		return start_run_fail_to_go(&start, &err);
	if (!args->quiet)
		kind->report(&start);
	return start_run_wait_for_command(&start);
}

static int start_run_open_new(struct start *start, struct fathom_err *err)
{
	int r = check_alone(start, err);

	return r < 0 ? r : open_session(start, err);
}

static void start_run_report_start(const struct start *start)
{
	quote_printf(start->action->messages,
		     "fathom start: started session %s; 'fathom show' prints its buffers, 'fathom "
		     "extract' writes them to a file, 'fathom reset' ends it\n",
		     start->id);
}

int start_run(const struct action *action, struct start_args *args)
{
	static const struct start_kind kind = { .check = plan_run_check,
						.open = start_run_open_new,
						.report = start_run_report_start };

	return start_run_carry_out(action, args, &kind);
}

/* Existing buffers of the session are changed in place. */
static int start_run_find_places(struct start *start, const struct detached_session *detached,
				 struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; i < start->plan->n && r == 0; i++) {
		struct plan_buffer *buffer = &start->plan->buffers[i];
		const struct detached_buffer *known = detached_buffer(detached, buffer->name);

		if (known)
			r = detached_place(start->session, known, &buffer->place, err);
	}
	return r;
}

static int take_up(struct start *start, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_detached_ struct detached_session detached = { 0 };
	int r = session_env_open("", &env, err);

	if (r == 0)
		r = detached_find(&env, start->args->session, &detached, err);
	if (r == -ENOENT && !start->args->session) {
		fathom_err_reset(err);
		return open_session(start, err);
	}
	if (r == 0)
		r = session_adopt("", detached.id, &start->session, err);
	if (r < 0)
		return r;
	start->adopted = true;
	snprintf(start->id, sizeof(start->id), "%s", detached.id);
	return start_run_find_places(start, &detached, err);
}

static void start_run_report_change(const struct start *start)
{
	if (!start->adopted)
		quote_printf(
			start->action->messages,
			"fathom set: created session %s; 'fathom reset' restores all settings\n",
			start->id);
}

int start_change(const struct action *action, struct start_args *args)
{
	static const struct start_kind kind = { .changes = true,
						.check = plan_run_no_watches,
						.open = take_up,
						.report = start_run_report_change };

	return start_run_carry_out(action, args, &kind);
}

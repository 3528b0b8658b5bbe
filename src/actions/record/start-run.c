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
#include "record/session/kept.h"
#include "record/session/session-env.h"
#include "record/session/session-list.h"

struct start {
	const struct action *action;
	struct start_args *args;
	struct plan *plan;
	char **argv;
	struct child child;
	struct session *session;
	bool adopted; /* stays kept whatever happens */
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

/* One session is easy to speak about; a second one is made when it is meant. */
static int check_alone(const struct start *start, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_kept_ struct kept kept = { 0 };
	int r;

	if (start->args->also || session_env_open("", &env, NULL) < 0)
		return 0;
	r = kept_find(&env, NULL, &kept, NULL);
	if (r == -E2BIG)
		return err_set(err, -EEXIST,
			       "several sessions are kept already; 'fathom reset' ends them, "
			       "--also begins one beside them");
	if (r < 0)
		return 0;
	return err_set(err, -EEXIST,
		       "session %s ('%.100s') is kept already; 'fathom reset %s' ends it, 'fathom "
		       "set' changes it, --also begins one beside it",
		       kept.id, kept.command, kept.id);
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
	/* What is changed runs already. */
	double scale = start->plan->changes ? 0 : plan_ask_scale(&start->args->plan);
	int r = plan_run_pids(&start->args->plan, start->child.pid, err);

	if (r == 0)
		r = plan_apply(start->plan, start->session, err);
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

/* From here on everything goes on without us. */
static int start_run_keep(struct start *start, struct fathom_err *err)
{
	struct session *session = TAKE_PTR(start->session);

	if (!start->adopted)
		return session_keep(session, err);
	session_free(session);
	return 0;
}

/* Switches on what @start has open, and runs the command, if there is one. */
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
			return err_set_errno(err, negative_errno(), "cannot switch tracing on");
	return 0;
}

/* What was begun only for a command that cannot be run is ended. */
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

/* The exit code of the command, which gets signals from the terminal as we do. */
static int start_run_wait_for_command(struct start *start)
{
	if (!start->action->argc || start->args->fork)
		return EXIT_OK;
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	child_wait(&start->child);
	return child_exit_code(&start->child);
}

static int start_run_fail(const struct start *start, const struct fathom_err *err)
{
	action_failed(start->action, err);
	return EXIT_NOT_RUN;
}

int start_run(const struct action *action, struct start_args *args)
{
	_cleanup_(start_done) struct start start = { .action = action,
						     .args = args,
						     .child = CHILD_NONE };
	struct fathom_err err = { 0 };
	int r = plan_args_init(&args->plan, &err);

	start.plan = &args->plan.plan;
	if (r == 0 && plan_run_check(start.plan, &err) < 0)
		return action_usage_error(action, &err);
	plan_run_reset_left(action);
	if (r == 0)
		r = check_alone(&start, &err);
	if (r == 0)
		r = start_child(&start, &err);
	if (r == 0)
		r = open_session(&start, &err);
	if (r == 0)
		r = start_run_apply(&start, &err);
	if (r == 0)
		r = open_switches(&start, &err);
	if (r == 0)
		r = start_run_keep(&start, &err);
	if (r < 0)
		return start_run_fail(&start, &err);
	if (start_run_go(&start, &err) < 0)
		return start_run_fail_to_go(&start, &err);
	if (!args->quiet)
		quote_printf(action->messages,
			     "fathom start: session %s traces; 'fathom show' shows what, 'fathom "
			     "extract' writes it to a file, 'fathom reset' ends it\n",
			     start.id);
	return start_run_wait_for_command(&start);
}

/* The buffers that the session has are changed where they are. */
static int start_run_find_places(struct start *start, const struct kept *kept,
				 struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; i < start->plan->n && r == 0; i++) {
		struct plan_buffer *buffer = &start->plan->buffers[i];
		const struct kept_buffer *known = kept_buffer(kept, buffer->name);

		if (known)
			r = kept_place(start->session, known, &buffer->place, err);
	}
	return r;
}

static int take_up(struct start *start, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_kept_ struct kept kept = { 0 };
	int r = session_env_open("", &env, err);

	if (r == 0)
		r = kept_find(&env, start->args->session, &kept, err);
	if (r == -ENOENT && !start->args->session) {
		fathom_err_reset(err);
		return open_session(start, err);
	}
	if (r == 0)
		r = session_adopt("", kept.id, &start->session, err);
	if (r < 0)
		return r;
	start->adopted = true;
	snprintf(start->id, sizeof(start->id), "%s", kept.id);
	return start_run_find_places(start, &kept, err);
}

int start_change(const struct action *action, struct start_args *args)
{
	_cleanup_(start_done) struct start start = { .action = action,
						     .args = args,
						     .child = CHILD_NONE };
	struct fathom_err err = { 0 };
	int r = plan_args_init(&args->plan, &err);

	start.plan = &args->plan.plan;
	start.plan->changes = true;
	if (r == 0 && plan_run_no_watches(start.plan, &err) < 0)
		return action_usage_error(action, &err);
	plan_run_reset_left(action);
	if (r == 0)
		r = start_child(&start, &err);
	if (r == 0)
		r = take_up(&start, &err);
	if (r == 0)
		r = start_run_apply(&start, &err);
	if (r == 0)
		r = start_run_keep(&start, &err);
	if (r < 0)
		return start_run_fail(&start, &err);
	if (start_run_go(&start, &err) < 0)
		return start_run_fail_to_go(&start, &err);
	if (!args->quiet && !start.adopted)
		quote_printf(action->messages,
			     "fathom set: session %s is new; 'fathom reset' puts all back\n",
			     start.id);
	return start_run_wait_for_command(&start);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/session/reset-run.h"

#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "base/quote.h"
#include "base/str.h"
#include "kernel/tracefs/ftrace-reset.h"
#include "record/session/session-list.h"

static bool reset_run_is_wanted(const struct action *action, const struct session_info *session)
{
	for (int i = 0; i < action->argc; i++)
		if (str_eq(action->argv[i], session->id))
			return true;
	return action->argc == 0 && session->state != SESSION_ALIVE;
}

static const struct session_info *reset_run_find(const struct session_list *list, const char *id)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(list->list[i].id, id))
			return &list->list[i];
	return NULL;
}

/* Every session named must exist and be inactive before any is reset. */
static int reset_run_check_names(const struct action *action, const struct session_list *list,
				 struct fathom_err *err)
{
	for (int i = 0; i < action->argc; i++) {
		const struct session_info *session = reset_run_find(list, action->argv[i]);

		if (!session)
			return err_set(err, -ENOENT, "no session '%s'; see 'fathom ps'",
				       action->argv[i]);
		if (session->state == SESSION_ALIVE)
			return err_set(err, -EBUSY,
				       "session '%s' is active (process %ld): it restores its "
				       "settings when it ends",
				       session->id, session->pid);
	}
	return 0;
}

static int reset_one(const struct action *action, const struct session_env *env,
		     const struct session_info *session)
{
	struct out *out = action->out;
	struct restore_result result;
	struct fathom_err err = { 0 };
	int r = session_reset(env, session->id, &result, &err);

	if (r < 0) {
		err_prefix(&err, "session '%s'", session->id);
		action_failed(action, &err);
		if (result.failed > 1)
			quote_printf(action->messages,
				     "and %u more; run 'fathom reset' again once the cause is "
				     "removed\n",
				     result.failed - 1);
		return EXIT_FAILED;
	}
	if (session->state == SESSION_OLD)
		out_printf(out, OUT_PLAIN,
			   "removed the journal of session %s: written before a reboot\n",
			   session->id);
	else if (session->state == SESSION_UNREADABLE)
		out_printf(out, OUT_WARN,
			   "removed the journal of session %s: unreadable, so no settings were "
			   "restored; check 'fathom ps'\n",
			   session->id);
	else
		out_printf(out, OUT_PLAIN, "restored %u setting%s of session %s: %s\n",
			   result.changed, result.changed == 1 ? "" : "s", session->id,
			   session->command);
	return EXIT_OK;
}

/* Fails if there is no terminal to ask on. */
static int confirm(const struct action *action, const struct session_list *list,
		   struct fathom_err *err)
{
	size_t alive = 0;

	if (!action->ask)
		return err_set(err, -EINVAL, "no terminal to ask on: use --all -y");
	for (size_t i = 0; i < list->n; i++)
		alive += list->list[i].state == SESSION_ALIVE;
	if (alive)
		quote_printf(action->messages,
			     "%zu active session%s of fathom will record nothing more.\n", alive,
			     alive == 1 ? "" : "s");
	quote_printf(action->messages,
		     "Disable all tracing on this machine, no matter who uses it? [y/N] ");
	fflush(action->messages);
	if (!action->ask(-1))
		return err_set(err, -ECANCELED, "nothing was reset");
	return 0;
}

static int reset_sessions(const struct action *action, const struct session_env *env,
			  const struct session_list *list)
{
	const struct reset_args *args = action->args;
	int code = EXIT_OK;
	bool any = false;

	for (size_t i = 0; i < list->n; i++) {
		if (!reset_run_is_wanted(action, &list->list[i]))
			continue;
		any = true;
		if (reset_one(action, env, &list->list[i]) != EXIT_OK)
			code = EXIT_FAILED;
	}
	if (!any && !args->all)
		out_printf(action->out, OUT_PLAIN, "nothing to restore\n");
	return code;
}

int reset_run(const struct action *action)
{
	const struct reset_args *args = action->args;
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_list_ struct session_list list = { 0 };
	struct fathom_err err = { 0 };
	int code;

	if (args->all && action->argc) {
		err_set(&err, -EINVAL, "--all cannot be combined with SESSION");
		return action_usage_error(action, &err);
	}
	if (session_env_open("", &env, &err) < 0 || session_list_read(&env, &list, &err) < 0 ||
	    reset_run_check_names(action, &list, &err) < 0)
		return action_failed(action, &err);
	if (args->all && session_env_check(&env, &err) < 0)
		return action_failed(action, &err);
	if (args->all && !args->yes && confirm(action, &list, &err) < 0)
		return action_failed(action, &err);
	code = reset_sessions(action, &env, &list);
	if (!args->all)
		return code;
	if (ftrace_reset(env.tracefs.fd, &err) < 0)
		return action_failed(action, &err);
	out_printf(action->out, OUT_PLAIN, "all tracing is disabled\n");
	return code;
}

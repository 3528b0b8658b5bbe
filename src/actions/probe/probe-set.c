/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/probe/probe-set.h"

#include "actions/plan/left-sessions.h"
#include "actions/plan/plan-run.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "record/session/session-env.h"

/* Nothing is recorded. */
#define RING_KB 64

static int probe_set_start(struct plan *plan, const char *text, struct fathom_err *err)
{
	int r = plan_add_expression(plan, text, err);

	plan_last(plan)->size_kb = RING_KB;
	return r;
}

int probe_set_try(struct plan *plan, const char *text, const struct action *action,
		  struct fathom_err *err)
{
	_cleanup_session_ struct session *session = NULL;
	_cleanup_free_ char *line = plan_run_line(action);
	struct fathom_err left = { 0 };
	int r = probe_set_start(plan, text, err), closed;

	if (r == 0)
		r = line ? session_open("", line, &session, err) : err_nomem(err);
	if (r < 0)
		return r;
	r = plan_run_apply(action, plan, session, false, err);
	closed = put_session_back(action, TAKE_PTR(session), &left);
	if (r == 0 && closed < 0) {
		*err = left;
		return closed;
	}
	return r;
}

int probe_set_list(struct plan *plan, const char *text, struct types *types, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	struct plan_buffer *buffer;
	int r = probe_set_start(plan, text, err);

	if (r == 0)
		r = session_env_open("", &env, err);
	if (r == 0)
		r = session_env_check(&env, err);
	if (r == 0)
		r = plan_expand_sets(plan, types, &env, err);
	buffer = plan_last(plan);
	for (size_t i = 0; i < buffer->n_events && r == 0; i++)
		if (buffer->events[i].set)
			buffer->events[i].set->made++;
	return r < 0 ? r : plan_tell_sets(plan, err);
}

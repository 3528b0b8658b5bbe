/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/plan/left-sessions.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"
#include "record/file/left-recordings.h"
#include "record/session/session-list.h"

void left_sessions_warn(const struct action *action)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_list_ struct session_list list = { 0 };

	/* Usually one system call, also for users who cannot list sessions. */
	if (access(SESSION_DIR, R_OK | X_OK) < 0 || session_env_open("", &env, NULL) < 0 ||
	    session_list_read(&env, &list, NULL) < 0)
		return;
	for (size_t i = 0; i < list.n; i++)
		if (list.list[i].state == SESSION_LEFT)
			quote_printf(
				action->messages,
				"fathom: session %s (%s) ended without restoring its settings; use "
				"'fathom reset'\n",
				list.list[i].id, list.list[i].command);
}

int put_session_back(const struct action *action, struct session *session, struct fathom_err *err)
{
	struct restore_result result;
	int r = session_close(session, &result, err);

	if (result.stopped_guardian)
		quote_printf(
			action->messages,
			"fathom %s: killed the guardian process %ld, which was stopped (SIGSTOP or "
			"debugger); kernel settings were restored without it\n",
			action->name, result.stopped_guardian);
	return r;
}

static bool left_sessions_is_same(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

void left_recordings_warn(const struct action *action, const char *output)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_left_recordings_ struct left_recordings left = { 0 };

	if (session_env_open("", &env, NULL) < 0 || env.journals < 0 ||
	    left_recordings_read(env.journals, true, &left) < 0)
		return;
	for (size_t i = 0; i < left.n; i++)
		quote_printf(
			action->messages,
			"fathom %s: '%s' is unfinished: its recorder (process %ld) was killed; %s\n",
			action->name, left.list[i].path, left.list[i].pid,
			left_sessions_is_same(left.list[i].path, output) ?
				"this recording replaces it" :
				"'fathom recover' finishes it");
}

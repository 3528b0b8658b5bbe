/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/left-sessions.h"

#include <stdio.h>
#include <unistd.h>

#include "base/quote.h"
#include "record/session-list.h"

void left_sessions_warn(void)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_list_ struct session_list list = { 0 };

	/* The usual case, and all that a user without rights can learn, is one system call. */
	if (access(SESSION_DIR, R_OK | X_OK) < 0 || session_env_open("", &env, NULL) < 0 ||
	    session_list_read(&env, &list, NULL) < 0)
		return;
	for (size_t i = 0; i < list.n; i++)
		if (list.list[i].state == SESSION_LEFT)
			quote_printf(
				stderr,
				"fathom: session %s (%s) ended without putting its settings back; "
				"'fathom reset' does it\n",
				list.list[i].id, list.list[i].command);
}

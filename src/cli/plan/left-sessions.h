/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Warnings about sessions that did not end cleanly. */
#ifndef FATHOM_CLI_PLAN_LEFT_SESSIONS_H
#define FATHOM_CLI_PLAN_LEFT_SESSIONS_H

#include "cli/kit/command.h"
#include "record/session/session.h"

/* Looks, and says on stderr what it finds; nothing when there is nothing, or we may not look. */
void left_sessions_warn(void);
/* Like session_close(), and warns if the guardian had to be killed. */
int put_session_back(const struct command *command, struct session *session,
		     struct fathom_err *err);
/* Says on stderr which recordings killed recorders have left, for a command that records to @output. */
void left_recordings_warn(const char *command, const char *output);

#endif

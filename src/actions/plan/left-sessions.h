/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Warnings about sessions that did not end cleanly. */
#ifndef FATHOM_ACTIONS_PLAN_LEFT_SESSIONS_H
#define FATHOM_ACTIONS_PLAN_LEFT_SESSIONS_H

#include "actions/action.h"
#include "record/session/session.h"

/* Reports sessions that were left behind; silent if there are none, or we may not look. */
void left_sessions_warn(const struct action *action);
/* Like session_close(), and warns if the guardian had to be killed. */
int put_session_back(const struct action *action, struct session *session, struct fathom_err *err);
/* Reports recordings left by killed recorders, to a command that records to @output. */
void left_recordings_warn(const struct action *action, const char *output);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A detached session, and those of its buffers that were selected. */
#ifndef FATHOM_ACTIONS_SESSION_SESSION_USE_H
#define FATHOM_ACTIONS_SESSION_SESSION_USE_H

#include <stdbool.h>
#include <stddef.h>

#include "actions/action.h"
#include "record/plan.h"
#include "record/session/detached.h"
#include "record/session/session.h"

struct session_args {
	const char *session; /* NULL: the only detached one */
	struct plan_words buffers;
	bool named; /* all except the main one */
	bool main; /* in addition to the named ones */
};

void session_args_done(void *args);

/* An adopted session, and the selected buffers. */
struct session_use {
	struct detached_session detached;
	struct session *session;
	const struct detached_buffer **buffers;
	struct session_place **places; /* of the buffers */
	size_t n;
};

/* Adopts the session; without -B, -a and -t, all its buffers are selected. */
int session_use_open(const struct session_args *args, struct session_use *ret_use,
		     struct fathom_err *err);
/* Detaches the session again, unless it was taken and closed. */
void session_use_done(struct session_use *use);
#define _cleanup_session_use_ __attribute__((cleanup(session_use_done)))

/*
 * Actions without operands, with a struct session_args; they return the exit status.
 * session_switch() enables or disables tracing in each selected buffer, session_clear() empties
 * them.
 */
int session_switch(const struct action *action, bool on);
int session_clear(const struct action *action);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kept session, and those of its buffers that were chosen. */
#ifndef FATHOM_ACTIONS_SESSION_SESSION_USE_H
#define FATHOM_ACTIONS_SESSION_SESSION_USE_H

#include <stdbool.h>
#include <stddef.h>

#include "actions/action.h"
#include "record/plan.h"
#include "record/session/detached.h"
#include "record/session/session.h"

struct session_args {
	const char *session; /* NULL: the one that is kept */
	struct plan_words buffers;
	bool named; /* all but the main one */
	bool main; /* besides those that are named */
};

void session_args_done(void *args);

/* A session that was taken up, and the buffers that were chosen. */
struct session_use {
	struct detached_session detached;
	struct session *session;
	const struct detached_buffer **buffers;
	struct session_place **places; /* of the buffers */
	size_t n;
};

/* Takes the session up; without -B, -a and -t all its buffers are chosen. */
int session_use_open(const struct session_args *args, struct session_use *ret_use,
		     struct fathom_err *err);
/* Leaves the session detached, unless somebody has taken and closed it. */
void session_use_done(struct session_use *use);
#define _cleanup_session_use_ __attribute__((cleanup(session_use_done)))

/* The work of commands that set a file of each buffer that is chosen: the exit code. */
int session_switch(const struct action *action, const char *file, const char *value);

#endif

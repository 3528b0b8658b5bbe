/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The guardian: a process of its own that outlives the recorder, however that
 * ends, and then puts back what the journal says. It shares the journal's lock, is
 * not in the recorder's process group, session or terminal, ignores what a
 * terminal or a shutdown sends, and ends when all is put back.
 */
#ifndef FATHOM_RECORD_GUARDIAN_H
#define FATHOM_RECORD_GUARDIAN_H

#include <sys/types.h>

#include <fathom/err.h>

#include "record/journal.h"
#include "record/restore.h"
#include "record/session-env.h"

struct guardian {
	pid_t pid;
	int control; /* -1: there is none */
};

#define GUARDIAN_NONE         \
	{                     \
		.control = -1 \
	}

/* Starts it. The process must have one thread only. */
int guardian_start(struct journal *journal, struct session_env *env, struct guardian *ret_guardian,
		   struct fathom_err *err);
/*
 * Asks it to put everything back, and waits. What it says is the result; -ESRCH
 * when it died before it had an answer.
 */
int guardian_restore(struct guardian *guardian, struct restore_result *ret_result,
		     struct fathom_err *err);
/* Tells it to end and to leave all as it is; -ESRCH when it is dead. */
int guardian_release(struct guardian *guardian);
/* Lets go: from here it takes us for dead, and puts everything back. */
void guardian_done(struct guardian *guardian);

/*
 * Puts back what @journal says and removes it; when something fails it stays, with
 * a record that says what. For whoever holds the lock.
 */
int journal_replay(struct journal *journal, const struct session_env *env, unsigned wait_ms,
		   struct restore_result *ret_result, struct fathom_err *err);

#endif

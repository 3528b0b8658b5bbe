/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The guardian: a process of its own that outlives the recorder, however that
 * ends, and then puts back what the journal says. It shares the journal's lock, is
 * not in the recorder's process group, session or terminal, ignores what a
 * terminal or a shutdown sends, and ends when all is put back.
 */
#ifndef FATHOM_RECORD_SESSION_GUARDIAN_H
#define FATHOM_RECORD_SESSION_GUARDIAN_H

#include <stdbool.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "record/session/journal.h"
#include "record/session/restore.h"
#include "record/session/session-env.h"

struct guardian {
	pid_t pid;
	int control; /* -1: there is none */
	bool was_stopped; /* found stopped, and killed */
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
 * when it died before it had an answer, or was found stopped and killed.
 */
int guardian_restore(struct guardian *guardian, const struct journal *journal,
		     struct restore_result *ret_result, struct fathom_err *err);
/* Makes it exit without restoring anything; -ESRCH when it is dead. A stopped guardian is killed. */
int guardian_release(struct guardian *guardian, const struct journal *journal);
/* Lets go: from here it takes us for dead, and puts everything back. */
void guardian_done(struct guardian *guardian);

/* Returns true if @pid is the guardian that has @journal open and is stopped (SIGSTOP or ptrace). */
bool guardian_is_stopped(pid_t pid, const struct journal *journal);
/* Like guardian_is_stopped(), if additionally @recorder no longer has the journal open. */
bool guardian_left_stopped(pid_t recorder, pid_t guardian, const struct journal *journal);
/* Kills a stopped guardian. Returns true once it has exited. */
bool guardian_end_stopped(pid_t pid, const struct journal *journal);

/*
 * Puts back what @journal says and removes it; when something fails it stays, with
 * a record that says what. For whoever holds the lock.
 */
int journal_replay(struct journal *journal, const struct session_env *env, unsigned wait_ms,
		   struct restore_result *ret_result, struct fathom_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The guardian: a process that outlives the recorder, no matter how that ends, and then restores
 * the settings in the journal. It shares the lock on the journal. It is outside the recorder's
 * process group, session and terminal, ignores the signals of terminals and shutdown, and exits
 * when everything is restored.
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
	pid_t pid; /* 0: none */
	int control; /* socket to it; -1: none */
	bool was_stopped; /* was found stopped, and killed */
};

#define GUARDIAN_NONE         \
	{                     \
		.control = -1 \
	}

/* Starts it, by fork: the process must have only one thread. Returns 0 or a negative errno. */
int guardian_start(struct journal *journal, struct session_env *env, struct guardian *ret_guardian,
		   struct fathom_err *err);
/*
 * Makes it restore everything, and waits for its result, which is returned. Returns -ESRCH if it
 * died without a result, or was found stopped and killed; then the caller has the lock, and can
 * call journal_replay(). Releases @guardian.
 */
int guardian_restore(struct guardian *guardian, const struct journal *journal,
		     struct restore_result *ret_result, struct fathom_err *err);
/*
 * Makes it exit without restoring anything, and waits for that. Returns -ESRCH if it is dead. A
 * stopped guardian is killed. Releases @guardian.
 */
int guardian_release(struct guardian *guardian, const struct journal *journal);
/* Releases @guardian. To the guardian, this is our death: it restores everything. */
void guardian_done(struct guardian *guardian);

/* Returns true if @pid is the guardian that has @journal open and is stopped (SIGSTOP or ptrace). */
bool guardian_is_stopped(pid_t pid, const struct journal *journal);
/* Like guardian_is_stopped(), if additionally @recorder no longer has the journal open. */
bool guardian_left_stopped(pid_t recorder, pid_t guardian, const struct journal *journal);
/* Kills a stopped guardian. Returns true once it has exited. */
bool guardian_end_stopped(pid_t pid, const struct journal *journal);

/*
 * Restores what @journal lists, and removes it. On failure, the journal remains, with a record of
 * the failure. The caller must hold the lock. In-use objects are retried for @wait_ms. Returns 0 or
 * a negative errno.
 */
int journal_replay(struct journal *journal, const struct session_env *env, unsigned wait_ms,
		   struct restore_result *ret_result, struct fathom_err *err);

#endif

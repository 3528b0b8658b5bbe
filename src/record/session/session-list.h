/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sessions on this machine, according to their journals, and how to restore the settings that
 * they left. Strings belong to the list and are valid until session_list_done().
 */
#ifndef FATHOM_RECORD_SESSION_SESSION_LIST_H
#define FATHOM_RECORD_SESSION_SESSION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "record/session/journal-format.h"
#include "record/session/restore.h"
#include "record/session/session-env.h"

enum session_state {
	SESSION_ALIVE, /* a process holds its lock */
	SESSION_KEPT, /* continues without a process, as requested */
	SESSION_LEFT, /* recorder dead, guardian dead or stopped: settings still in effect */
	SESSION_OLD, /* of an earlier boot: nothing of it remains */
	SESSION_UNREADABLE, /* not a valid journal */
};

/* Returns "alive", "detached", "left behind", "old" or "unreadable". The string is static. */
const char *session_state_name(enum session_state state);

struct session_info {
	const char *id;
	enum session_state state;
	long pid, guardian; /* PIDs; 0: unknown */
	int64_t since; /* seconds since the Epoch */
	const char *command;
	bool top; /* uses the top level */
	const char *instances; /* that it has created, separated by spaces */
	size_t changes; /* settings, events and instances to restore */
	const char *failure; /* why restoring failed the last time, or "" */
};

struct session_list {
	struct session_info *list; /* oldest first */
	size_t n, cap;
	struct arena arena;
};

/*
 * Lists the sessions. Without a directory of journals, there are none. Returns 0 or a negative
 * errno.
 */
int session_list_read(const struct session_env *env, struct session_list *ret_list,
		      struct fathom_err *err);
void session_list_done(struct session_list *list);
#define _cleanup_session_list_ __attribute__((cleanup(session_list_done)))

/*
 * Restores what session @id has left or kept, and removes its journal; the journal of an earlier
 * boot, or an invalid one, is only removed. Returns 0 or a negative errno, -EBUSY if the session is
 * alive. *@ret_result is always set.
 */
int session_reset(const struct session_env *env, const char *id, struct restore_result *ret_result,
		  struct fathom_err *err);
/*
 * Restores what dead sessions have left, but not detached ones. Returns how many were restored; if
 * there were none, the first failure, a negative errno, or 0.
 */
int session_reset_left(const struct session_env *env, struct fathom_err *err);

/*
 * Calls @see for each valid record of each session of this boot except for @own, until it returns
 * something other than 0, which is returned. Records are valid during the call.
 */
typedef int (*session_see_fn)(const struct record *begin, const struct record *record, void *arg);
int session_each_record(const struct session_env *env, const char *own, session_see_fn see,
			void *arg);

#endif

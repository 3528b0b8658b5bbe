/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sessions of this machine, by their journals: what lives, what was left, putting that back. */
#ifndef FATHOM_RECORD_SESSION_SESSION_LIST_H
#define FATHOM_RECORD_SESSION_SESSION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "record/session/journal-format.h"
#include "record/session/restore.h"
#include "record/session/session-env.h"

enum session_state {
	SESSION_ALIVE, /* somebody holds its lock */
	SESSION_KEPT, /* goes on without a process, as it was asked to */
	SESSION_LEFT, /* recorder dead, guardian dead or stopped: its settings are still in effect */
	SESSION_OLD, /* of an earlier boot: nothing of it is there any more */
	SESSION_UNREADABLE, /* not a journal that we understand */
};

/* "alive", "detached", "left behind", "old", "unreadable". */
const char *session_state_name(enum session_state state);

struct session_info {
	const char *id;
	enum session_state state;
	long pid, guardian; /* 0: not known */
	int64_t since; /* seconds since 1970 */
	const char *command;
	bool top; /* uses the top level */
	const char *instances; /* that it made, with spaces between */
	size_t changes; /* settings, events and instances to put back */
	const char *failure; /* why putting back failed the last time, or "" */
};

struct session_list {
	struct session_info *list; /* oldest first */
	size_t n, cap;
	struct arena arena;
};

int session_list_read(const struct session_env *env, struct session_list *ret_list,
		      struct fathom_err *err);
void session_list_done(struct session_list *list);
#define _cleanup_session_list_ __attribute__((cleanup(session_list_done)))

/*
 * Puts back what session @id has left, or kept, and removes its journal; one of an
 * earlier boot, or that can't be read, is only removed. -EBUSY while it is alive.
 */
int session_reset(const struct session_env *env, const char *id, struct restore_result *ret_result,
		  struct fathom_err *err);
/*
 * Puts back what dead sessions have left; those that were kept stay. Returns how
 * many were put back; the first failure is in @err, and is not returned when
 * others went well.
 */
int session_reset_left(const struct session_env *env, struct fathom_err *err);

/*
 * Calls @see for each record of each session but @own, until it returns other
 * than 0, which is then returned.
 */
typedef int (*session_see_fn)(const struct record *begin, const struct record *record, void *arg);
int session_each_record(const struct session_env *env, const char *own, session_see_fn see,
			void *arg);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A session: everything that one recording sets in the kernel, and the promise
 * that it will be as it was before. Before a value is changed, the old one is
 * safe in the journal; a guardian puts everything back when this process ends
 * without having done so. A session belongs to one thread.
 *
 * Places: a session works in instances, of which those that it makes are its own
 * and go with it, so that nothing in them has to be written down; or, where the
 * kernel leaves no choice, at the top level, which one session at a time can have.
 */
#ifndef FATHOM_RECORD_SESSION_SESSION_H
#define FATHOM_RECORD_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "kernel/tracefs/knob.h"
#include "record/session/restore.h"

struct session;

struct session_place {
	int fd; /* the directory; files in it are opened relative to this */
	char *instance; /* its name; "": the top level */
	bool owned; /* made by this session */
};

/*
 * Begins one; nothing is changed yet. @command is what the user typed, for `fathom
 * ps`. Starts the guardian by fork: call it before there are threads. @root is
 * "" but in tests.
 */
int session_open(const char *root, const char *command, struct session **ret_session,
		 struct fathom_err *err);
/*
 * Takes up a session that was kept (session_keep()), with no guardian: when this
 * process ends without closing it, it stays kept. -EBUSY when it is at work,
 * -ENOENT when there is none.
 */
int session_adopt(const char *root, const char *id, struct session **ret_session,
		  struct fathom_err *err);
/*
 * Puts everything back and frees @session, whatever the result. When something
 * fails the journal stays for `fathom reset`.
 */
int session_close(struct session *session, struct restore_result *ret_result,
		  struct fathom_err *err);
/* Leaves everything as it is, for another process to adopt or reset, and frees @session. */
int session_keep(struct session *session, struct fathom_err *err);
/* Frees it; the guardian takes this for our death. Nothing for an adopted one. */
void session_free(struct session *session);
static inline void session_free_p(struct session **session)
{
	session_free(*session);
}
#define _cleanup_session_ __attribute__((cleanup(session_free_p)))

const char *session_id(const struct session *session);
/* 0: it has none. */
pid_t session_guardian(const struct session *session);
const struct session_env *session_env(const struct session *session);

/* An instance of its own, "fathom-ID", then "fathom-ID-2", and so on. */
int session_place_private(struct session *session, struct session_place **ret_place,
			  struct fathom_err *err);
/* The instance @name; made, and then its own, where there is none. */
int session_place_instance(struct session *session, const char *name,
			   struct session_place **ret_place, struct fathom_err *err);
/*
 * The top level. -EBUSY, with who and what in @err, when somebody traces there; with
 * @force that is put aside and put back later. Another session's it never takes.
 */
int session_place_top(struct session *session, bool force, struct session_place **ret_place,
		      struct fathom_err *err);
/*
 * A private instance where the kernel has @tracer in one (NULL: events only),
 * else the top level; *@ret_note is then one line that says so, or NULL.
 */
int session_place_for(struct session *session, const char *tracer, bool force,
		      struct session_place **ret_place, const char **ret_note,
		      struct fathom_err *err);

/* Do instances have @tracer? 1 or 0 when an earlier session has seen it, -ENOENT when none has, or -ENOMEM. */
int session_remember_offer(const struct session_env *env, const char *tracer);

/*
 * Tells the journal that @place is a buffer of the session, called @name by its user ("": the
 * main one), for those who take the session up later; see record/session/detached.h. Twice is as once.
 */
int session_add_buffer(struct session *session, const char *name, const struct session_place *place,
		       struct fathom_err *err);

struct session_setting {
	struct session_place *place;
	const char *file; /* see kernel/tracefs/knob.h */
	enum knob_mode mode;
	const char *value;
};

/*
 * Writes settings, in order, after all their old values are safe. Stops at the
 * first that fails; what was written stays, for session_close() to put back.
 */
int session_apply(struct session *session, const struct session_setting *settings, size_t n,
		  struct fathom_err *err);
int session_set(struct session *session, struct session_place *place, const char *file,
		const char *value, struct fathom_err *err);
/*
 * For a file that only the top level has and that is the whole machine's, such as
 * set_graph_function. -EBUSY when somebody has put something into a list there, or would
 * have his function graph changed by it, unless @force.
 */
int session_set_global(struct session *session, const char *file, enum knob_mode mode,
		       const char *value, bool force, struct fathom_err *err);
/* @file is relative to /proc/sys; see sysctl_is_known(). */
int session_set_sysctl(struct session *session, const char *file, const char *value,
		       struct fathom_err *err);
/* As added_event_make(); such events are the whole kernel's, so choose a group nobody has. */
int session_add_event(struct session *session, const char *definition, struct fathom_err *err);
/* As added_event_extend(), for an event that the session has added. */
int session_extend_event(struct session *session, const char *definition);
/*
 * Keeps threads of ours out of the events and functions of @place; to be called
 * for all of them before anything is switched on there. Where only chosen pids are
 * traced nothing is done, as ours are none of them; so set those first. Children
 * that are forked later are traced.
 */
int session_exclude_pids(struct session *session, struct session_place *place, const pid_t *pids,
			 size_t n, struct fathom_err *err);

#endif

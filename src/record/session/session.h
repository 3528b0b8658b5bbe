/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A session: everything that a recording changes in the kernel, and the guarantee that it is
 * restored. Before a value is changed, the previous one is in the journal; a guardian process
 * restores everything if this process ends without doing so. A session belongs to one thread.
 * Functions return 0 or a negative errno.
 *
 * Places: a session works in instances, of which it owns those that it creates. They are removed
 * with it, so nothing in them has to be saved. If the kernel leaves no choice, it works at the top
 * level, which only one session can use at a time.
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

/* Belongs to the session, and is valid until that is closed, kept or freed. */
struct session_place {
	int fd; /* descriptor of the directory */
	char *instance; /* its name; "": the top level */
	bool owned; /* created by this session */
};

/*
 * Opens a session; nothing is changed yet. @command is the user's command line, for `fathom ps`.
 * Starts the guardian by fork, so it must be called before there are threads. @root as for
 * tracefs_find().
 */
int session_open(const char *root, const char *command, struct session **ret_session,
		 struct fathom_err *err);
/*
 * Adopts a session that was kept, without a guardian: if this process ends without closing it, it
 * stays kept. Returns -EBUSY if the session is active, -ENOENT if there is none.
 */
int session_adopt(const char *root, const char *id, struct session **ret_session,
		  struct fathom_err *err);
/*
 * Restores everything and frees @session, regardless of the result. On failure, the journal
 * remains, for `fathom reset`. *@ret_result is always set.
 */
int session_close(struct session *session, struct restore_result *ret_result,
		  struct fathom_err *err);
/*
 * Leaves everything as it is, for another process to adopt or reset, and frees @session. On
 * failure, the guardian, if any, restores everything.
 */
int session_keep(struct session *session, struct fathom_err *err);
/* Frees the session. To the guardian, this is our death; an adopted session stays kept. */
void session_free(struct session *session);
static inline void session_free_p(struct session **session)
{
	session_free(*session);
}
#define _cleanup_session_ __attribute__((cleanup(session_free_p)))

/* The ID and the struct session_env belong to the session. */
const char *session_id(const struct session *session);
/* Returns the PID of the guardian; 0: none. */
pid_t session_guardian(const struct session *session);
const struct session_env *session_env(const struct session *session);

/* Creates a private instance, "fathom-ID", then "fathom-ID-2", and so on. */
int session_place_private(struct session *session, struct session_place **ret_place,
			  struct fathom_err *err);
/* Uses the instance @name. If it does not exist, it is created, and owned by the session. */
int session_place_instance(struct session *session, const char *name,
			   struct session_place **ret_place, struct fathom_err *err);
/*
 * Uses the top level. Returns -EBUSY, with a message that names the user and the use, if another
 * user traces there; @force takes it over nevertheless, but never from another session.
 */
int session_place_top(struct session *session, bool force, struct session_place **ret_place,
		      struct fathom_err *err);
/*
 * Uses a private instance if it supports @tracer (NULL: events only), or else the top level; then
 * *@ret_note is a line that says so, which is static. Otherwise it is NULL.
 */
int session_place_for(struct session *session, const char *tracer, bool force,
		      struct session_place **ret_place, const char **ret_note,
		      struct fathom_err *err);

/*
 * Returns 1 if instances support @tracer, 0 if not, -ENOENT if no session has checked that since
 * boot, or -ENOMEM.
 */
int session_remember_offer(const struct session_env *env, const char *tracer);

/*
 * Records in the journal that @place is a buffer of the session, called @name by its user ("": the
 * main one), for processes that adopt the session; see record/session/detached.h. Idempotent.
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
 * Writes settings, in order, after all previous values have been saved. Stops at the first failure;
 * settings already written stay until session_close() restores them.
 */
int session_apply(struct session *session, const struct session_setting *settings, size_t n,
		  struct fathom_err *err);
int session_set(struct session *session, struct session_place *place, const char *file,
		const char *value, struct fathom_err *err);
/*
 * For a file that exists at the top level only and affects the whole machine, such as
 * set_graph_function. Unless @force, returns -EBUSY if it is set already, or if it would change
 * the function graph of another user.
 */
int session_set_global(struct session *session, const char *file, enum knob_mode mode,
		       const char *value, bool force, struct fathom_err *err);
/* @file is relative to /proc/sys; see sysctl_is_known(). Does nothing if it has this value. */
int session_set_sysctl(struct session *session, const char *file, const char *value,
		       struct fathom_err *err);
/* As added_event_make(). Such events are global, so choose a unique group. */
int session_add_event(struct session *session, const char *definition, struct fathom_err *err);
/* As added_event_extend(), for an event that the session has added. */
int session_extend_event(struct session *session, const char *definition);
/* What threads are excluded from; flags. */
enum session_exclude {
	SESSION_EXCLUDE_FUNCTIONS = 1,
	SESSION_EXCLUDE_EVENTS = 2,
	SESSION_EXCLUDE_ALL = 3,
};
/*
 * Excludes threads of fathom from @what of @place. To be called for all of them at once, before
 * anything is enabled there, and after PIDs to trace were set: with those, nothing has to be done,
 * as ours are not among them. Children forked later are traced. Returns from which of @what the
 * threads are excluded now; some kernels cannot.
 */
int session_exclude_pids(struct session *session, struct session_place *place, const pid_t *pids,
			 size_t n, enum session_exclude what, struct fathom_err *err);

#endif

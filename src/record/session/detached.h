/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions that continue without a process: which one a command is about, and its buffers. Reading
 * them locks a journal only for a moment, so a session can be watched while another command changes
 * it. Strings belong to the struct detached_session.
 */
#ifndef FATHOM_RECORD_SESSION_DETACHED_H
#define FATHOM_RECORD_SESSION_DETACHED_H

#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "record/session/session-env.h"
#include "record/session/session.h"

struct detached_buffer {
	const char *name; /* as its user calls it; "": the main one */
	const char *instance; /* "": the top level */
};

struct detached_session {
	const char *id;
	const char *command; /* the command line that started it */
	struct detached_buffer *buffers; /* in order of creation */
	size_t n, cap;
	struct arena arena;
};

/*
 * Finds session @id, which may be active or, if @id is NULL, the only detached session that has
 * buffers. Returns 0 or a negative errno: -ENOENT if there is none, -E2BIG if there are several,
 * whose IDs the message lists.
 */
int detached_find(const struct session_env *env, const char *id, struct detached_session *ret_kept,
		  struct fathom_err *err);
void detached_done(struct detached_session *detached);
#define _cleanup_detached_ __attribute__((cleanup(detached_done)))

/* Returns the buffer, which belongs to @detached, or NULL if there is none of that name. */
const struct detached_buffer *detached_buffer(const struct detached_session *detached,
					      const char *name);
/*
 * Opens the directory of the buffer for reading. Returns a descriptor, to be closed by the caller,
 * or a negative errno.
 */
int detached_open(const struct session_env *env, const struct detached_buffer *buffer,
		  struct fathom_err *err);
/*
 * Finds the place of the buffer in @session, which was adopted. Never creates an instance. Returns
 * 0 or a negative errno.
 */
int detached_place(struct session *session, const struct detached_buffer *buffer,
		   struct session_place **ret_place, struct fathom_err *err);

#endif

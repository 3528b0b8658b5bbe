/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions that go on without a process: which of them a command is about, and the buffers
 * that it has. Looking takes no lock for longer than a moment, so that one can watch a
 * session while another command changes it.
 */
#ifndef FATHOM_RECORD_SESSION_DETACHED_H
#define FATHOM_RECORD_SESSION_DETACHED_H

#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "record/session/session-env.h"
#include "record/session/session.h"

struct detached_buffer {
	const char *name; /* as its user calls it; "" is the main one */
	const char *instance; /* "": the top level */
};

struct detached_session {
	const char *id;
	const char *command; /* that began it */
	struct detached_buffer *buffers; /* in the order in which they were made */
	size_t n, cap;
	struct arena arena;
};

/*
 * The session @id, which may be at work. With NULL the only kept one that has buffers: -ENOENT
 * when there is none, -E2BIG, with their names, when there are several.
 */
int detached_find(const struct session_env *env, const char *id, struct detached_session *ret_kept,
		  struct fathom_err *err);
void detached_done(struct detached_session *detached);
#define _cleanup_detached_ __attribute__((cleanup(detached_done)))

/* NULL when there is no buffer of that name. */
const struct detached_buffer *detached_buffer(const struct detached_session *detached,
					      const char *name);
/* Opens the directory of the buffer, to look; a file descriptor, or a negative errno. */
int detached_open(const struct session_env *env, const struct detached_buffer *buffer,
		  struct fathom_err *err);
/* The place of the buffer in @session, which was taken up. */
int detached_place(struct session *session, const struct detached_buffer *buffer,
		   struct session_place **ret_place, struct fathom_err *err);

#endif

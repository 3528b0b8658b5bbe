/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions that go on without a process: which of them a command is about, and the buffers
 * that it has. Looking takes no lock for longer than a moment, so that one can watch a
 * session while another command changes it.
 */
#ifndef FATHOM_RECORD_SESSION_KEPT_H
#define FATHOM_RECORD_SESSION_KEPT_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "record/session/session-env.h"
#include "record/session/session.h"

struct kept_buffer {
	const char *name; /* as its user calls it; "" is the main one */
	const char *instance; /* "": the top level */
};

struct kept {
	const char *id;
	const char *command; /* that began it */
	struct kept_buffer *buffers; /* in the order in which they were made */
	size_t n, cap;
	struct arena arena;
};

/*
 * The session @id, which may be at work. With NULL the only kept one that has buffers: -ENOENT
 * when there is none, -E2BIG, with their names, when there are several.
 */
int kept_find(const struct session_env *env, const char *id, struct kept *ret_kept,
	      struct fathom_err *err);
void kept_done(struct kept *kept);
#define _cleanup_kept_ __attribute__((cleanup(kept_done)))

/* NULL when there is no buffer of that name. */
const struct kept_buffer *kept_buffer(const struct kept *kept, const char *name);
/* Opens the directory of the buffer, to look; a file descriptor, or a negative errno. */
int kept_open(const struct session_env *env, const struct kept_buffer *buffer,
	      struct fathom_err *err);
/* The place of the buffer in @session, which was taken up. */
int kept_place(struct session *session, const struct kept_buffer *buffer,
	       struct session_place **ret_place, struct fathom_err *err);

#endif

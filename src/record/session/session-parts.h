/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a session, for the files session*.c and detached.c. */
#ifndef FATHOM_RECORD_SESSION_SESSION_PARTS_H
#define FATHOM_RECORD_SESSION_SESSION_PARTS_H

#include "base/arena.h"
#include "record/session/guardian.h"
#include "record/session/journal.h"
#include "record/session/session.h"

/* A file whose previous value is in the journal. */
struct saved_file {
	const char *instance; /* NULL: a sysctl */
	const char *file;
	uint32_t record; /* number of the record */
	/*
	 * Not NULL: the value before another file was written. The file was only saved because that
	 * might change it.
	 */
	const char *doubt;
};

struct session {
	struct session_env env;
	struct journal journal;
	struct guardian guardian;
	struct arena arena; /* names and values of saved files */
	struct saved_file *saved;
	size_t nsaved, saved_cap;
	struct session_place **places;
	size_t nplaces, places_cap;
	unsigned privates; /* private instances made so far */
	bool has_top; /* the journal says that the top level belongs to this session */
};

/* Remembers that record @record of the journal has the previous value. Returns 0 or -ENOMEM. */
int session_note_saved(struct session *session, const char *instance, const char *file,
		       uint32_t record);
/* Returns the remembered value, or NULL. Valid until the next session_note_saved(). */
struct saved_file *session_find_saved(const struct session *session, const char *instance,
				      const char *file);
/*
 * Revokes the records of settings that have their previous value. The caller commits, and must not
 * change settings afterwards, because they still count as saved.
 */
void session_void_unchanged(struct session *session);
/* Returns -EBUSY if another user has function_graph active in any buffer, or 0. */
int session_check_graphs(struct session *session, struct fathom_err *err);

#endif

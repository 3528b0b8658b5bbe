/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a session, for the files session*.c. */
#ifndef FATHOM_RECORD_SESSION_SESSION_PARTS_H
#define FATHOM_RECORD_SESSION_SESSION_PARTS_H

#include "base/arena.h"
#include "record/session/guardian.h"
#include "record/session/journal.h"
#include "record/session/session.h"

/* A file whose old value the journal has. */
struct saved_file {
	const char *instance; /* NULL: a sysctl */
	const char *file;
	uint32_t record; /* the number of the record */
	/*
	 * Not NULL: it was saved in case that writing another file changes it, and held this
	 * just before.
	 */
	const char *doubt;
};

struct session {
	struct session_env env;
	struct journal journal;
	struct guardian guardian;
	struct arena arena; /* names of saved files */
	struct saved_file *saved;
	size_t nsaved, saved_cap;
	struct session_place **places;
	size_t nplaces, places_cap;
	unsigned privates; /* private instances made so far */
	bool has_top; /* the journal says that the top level is this session's */
};

/* Remembers that the journal has the old value, in record number @record. */
int session_note_saved(struct session *session, const char *instance, const char *file,
		       uint32_t record);
/* What is remembered, until the next is, or NULL. */
struct saved_file *session_find_saved(const struct session *session, const char *instance,
				      const char *file);
/*
 * Takes back the records of settings that have the value they had before the session. The caller commits. The files
 * are not forgotten: nothing may be set afterwards.
 */
void session_void_unchanged(struct session *session);
/* -EBUSY when somebody else has a function graph drawn, wherever that is. */
int session_check_graphs(struct session *session, struct fathom_err *err);

#endif

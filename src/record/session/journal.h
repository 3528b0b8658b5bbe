/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A journal as a file, RUN/ID.journal. Whoever works with it holds its lock: the
 * recorder and the guardian share one, so that a journal that can be locked has
 * neither any more. It gets its name when it is locked, its beginning written and
 * the guardian there: whoever is killed before leaves none. It is only ever appended to, and goes when all is put back.
 */
#ifndef FATHOM_RECORD_SESSION_JOURNAL_H
#define FATHOM_RECORD_SESSION_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "base/strbuf.h"
#include "record/session/journal-format.h"

/* Eight hexadecimal digits. */
#define SESSION_ID_SIZE 9

struct journal {
	int dir; /* borrowed: the directory of journals */
	int fd; /* -1: none */
	bool locked;
	bool named; /* before it is published it is ID.new: the file system wants a name */
	char id[SESSION_ID_SIZE];
	uint32_t records; /* written so far */
	off_t size; /* of the complete records */
	bool torn; /* there is an incomplete one behind them */
	struct strbuf pending; /* encoded, not written yet */
	uint32_t pending_records;
	int pending_err;
};

#define JOURNAL_NONE                \
	{                           \
		.dir = -1, .fd = -1 \
	}

/* Is it the name of a session? */
bool session_id_is_valid(const char *id);

/*
 * Makes a new one in @dir, locked, that begins with @begin; nobody sees it before
 * journal_publish(). The fields VERSION and
 * ID of @begin are filled in here: the id is chosen so that it is nobody else's.
 */
int journal_create(int dir, const char *begin[static BEGIN_FIELDS], struct journal *ret_journal,
		   struct fathom_err *err);
/* Gives a new one its name. */
int journal_publish(struct journal *journal, struct fathom_err *err);
/* Instead of that. */
void journal_abandon(struct journal *journal);

enum journal_use {
	JOURNAL_LOOK, /* to read it; any number of processes can at once */
	JOURNAL_TAKE, /* to change or remove it */
};

/*
 * Opens the one of session @id and locks it. Where a recorder or a guardian has the
 * lock its session lives: then it can be read only, and @ret_journal->locked is
 * false. -ENOENT when there is none, -EPERM when others than us can have written it.
 */
int journal_open(int dir, const char *id, enum journal_use use, struct journal *ret_journal,
		 struct fathom_err *err);
void journal_done(struct journal *journal);
#define _cleanup_journal_ __attribute__((cleanup(journal_done)))

/* Keeps a record for the next journal_commit(); returns its number. */
uint32_t journal_add(struct journal *journal, enum record_type type, const char *const *fields,
		     size_t nfields);
/* The same, to take back record @number. */
void journal_void(struct journal *journal, uint32_t number);
/* Writes what was added and waits until it is safe. After a failure none of it is there. */
int journal_commit(struct journal *journal, struct fathom_err *err);
/* Reads all; @bytes holds what @ret_records points into. What is added later goes behind. */
int journal_load(struct journal *journal, struct strbuf *bytes, struct records *ret_records,
		 struct fathom_err *err);
/* Removes the file. */
int journal_remove(struct journal *journal, struct fathom_err *err);

#endif

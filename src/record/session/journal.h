/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A journal as a file, ID.journal in the directory of journals. Its users hold its lock: recorder
 * and guardian share one, so if a journal can be locked, both are gone. The file gets its name when
 * it is locked, its first record is written, and the guardian runs; a process killed earlier leaves
 * nothing behind. It is only appended to, and removed when everything is restored. One thread may
 * use a struct journal at a time. Functions return 0 or a negative errno.
 */
#ifndef FATHOM_RECORD_SESSION_JOURNAL_H
#define FATHOM_RECORD_SESSION_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <fathom/err.h>

#include "base/strbuf.h"
#include "record/session/journal-format.h"

/* Eight hexadecimal digits. */
#define SESSION_ID_SIZE 9

struct journal {
	int dir; /* descriptor of the directory of journals, not owned */
	int fd; /* -1: none */
	bool locked;
	bool named; /* is ID.new until it is published, because the file system needs a name */
	char id[SESSION_ID_SIZE];
	uint32_t records; /* written so far */
	off_t size; /* of the complete records, in bytes */
	bool torn; /* followed by an incomplete record */
	struct strbuf pending; /* encoded, but not written yet */
	uint32_t pending_records;
	int pending_err;
};

/* The initial value; a zeroed struct would make journal_done() close descriptor 0. */
#define JOURNAL_NONE                \
	{                           \
		.dir = -1, .fd = -1 \
	}

/* Returns whether @id has the form of a session ID. */
bool session_id_is_valid(const char *id);

/*
 * Creates a journal in @dir, locked, with @begin as its first record. It is invisible until
 * journal_publish(). Sets the fields VERSION and ID of @begin; the ID is unique.
 */
int journal_create(int dir, const char *begin[static BEGIN_FIELDS], struct journal *ret_journal,
		   struct fathom_err *err);
/* Gives a new journal its name. */
int journal_publish(struct journal *journal, struct fathom_err *err);
/* Discards a new journal instead. */
void journal_abandon(struct journal *journal);

enum journal_use {
	JOURNAL_LOOK, /* to read it, which several processes can do at once */
	JOURNAL_TAKE, /* to change or remove it */
};

/*
 * Opens the journal of session @id and locks it. If a recorder or guardian holds the lock, the
 * session is alive: then the journal can only be read, and @ret_journal->locked is false. Returns
 * -ENOENT if there is none, -EPERM if other users could have written it.
 */
int journal_open(int dir, const char *id, enum journal_use use, struct journal *ret_journal,
		 struct fathom_err *err);
void journal_done(struct journal *journal);
#define _cleanup_journal_ __attribute__((cleanup(journal_done)))

/*
 * Queues a record for the next journal_commit(). Returns its number. Errors are returned by the
 * commit.
 */
uint32_t journal_add(struct journal *journal, enum record_type type, const char *const *fields,
		     size_t nfields);
/* Queues a record that revokes record @number. */
void journal_void(struct journal *journal, uint32_t number);
/*
 * Writes the queued records and waits until they are on disk. After a failure, none of them is in
 * the journal.
 */
int journal_commit(struct journal *journal, struct fathom_err *err);
/*
 * Reads all records; they point into @bytes, and are valid until it changes. Records added later
 * are appended to these.
 */
int journal_load(struct journal *journal, struct strbuf *bytes, struct records *ret_records,
		 struct fathom_err *err);
/* Deletes the file. The lock is held until journal_done(). */
int journal_remove(struct journal *journal, struct fathom_err *err);

#endif

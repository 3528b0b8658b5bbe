/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/session/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/negative-errno.h"

#define FILE_NAME_SIZE (SESSION_ID_SIZE + sizeof(".journal"))
#define JOURNAL_MAX    ((off_t)1 << 30)
#define TAKE_TRIES     20

static void journal_file_name(const char *id, const char *suffix, char name[static FILE_NAME_SIZE])
{
	snprintf(name, FILE_NAME_SIZE, "%.8s.%.7s", id, suffix);
}

bool session_id_is_valid(const char *id)
{
	return strlen(id) == SESSION_ID_SIZE - 1 &&
	       strspn(id, "0123456789abcdef") == SESSION_ID_SIZE - 1;
}

void journal_done(struct journal *journal)
{
	if (journal->fd >= 0)
		close(journal->fd);
	strbuf_done(&journal->pending);
	*journal = (struct journal)JOURNAL_NONE;
}

/*
 * Creates the file without a name, so that nothing is left if we are killed, if the file system
 * supports that.
 */
static int open_new(struct journal *journal)
{
	char temporary[FILE_NAME_SIZE];

	journal->named = access("/proc/self/fd", F_OK) < 0;
	if (!journal->named)
		journal->fd =
			openat(journal->dir, ".", O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
	if (journal->fd >= 0)
		return 0;
	journal->named = true;
	journal_file_name(journal->id, "new", temporary);
	journal->fd = openat(journal->dir, temporary,
			     O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	return journal->fd < 0 ? negative_errno() : 0;
}

static void remove_new(const struct journal *journal)
{
	char temporary[FILE_NAME_SIZE];

	journal_file_name(journal->id, "new", temporary);
	if (journal->named)
		unlinkat(journal->dir, temporary, 0);
}

/* Tries a new ID. Returns 0, -EEXIST if it is in use, or another negative errno. */
static int create_once(const char *begin[static BEGIN_FIELDS], struct journal *journal,
		       struct fathom_err *err)
{
	char name[FILE_NAME_SIZE];
	uint32_t chosen;
	int r;

	if (getrandom(&chosen, sizeof(chosen), GRND_NONBLOCK) != (ssize_t)sizeof(chosen))
		chosen = (uint32_t)getpid();
	snprintf(journal->id, sizeof(journal->id), "%08x", chosen);
	journal_file_name(journal->id, "journal", name);
	begin[BEGIN_VERSION] = JOURNAL_VERSION;
	begin[BEGIN_ID] = journal->id;
	r = faccessat(journal->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? -EEXIST :
									    open_new(journal);
	if (r < 0)
		return err_set_errno(err, r, "cannot create a journal");
	journal_add(journal, RECORD_BEGIN, begin, BEGIN_FIELDS);
	if (flock(journal->fd, LOCK_EX | LOCK_NB) < 0)
		r = err_set_errno(err, negative_errno(), "cannot lock the journal");
	else
		r = journal_commit(journal, err);
	if (r < 0)
		remove_new(journal);
	journal->locked = true;
	return r;
}

int journal_create(int dir, const char *begin[static BEGIN_FIELDS], struct journal *ret_journal,
		   struct fathom_err *err)
{
	int r = -EEXIST;

	for (int tries = 0; tries < 16 && r == -EEXIST; tries++) {
		_cleanup_journal_ struct journal journal = JOURNAL_NONE;

		journal.dir = dir;
		r = create_once(begin, &journal, err);
		if (r == 0) {
			*ret_journal = TAKE_STRUCT(journal, JOURNAL_NONE);
		}
	}
	return r;
}

int journal_publish(struct journal *journal, struct fathom_err *err)
{
	char temporary[FILE_NAME_SIZE], name[FILE_NAME_SIZE], link[64];
	int r;

	journal_file_name(journal->id, "new", temporary);
	journal_file_name(journal->id, "journal", name);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", journal->fd);
	if (journal->named)
		r = renameat2(journal->dir, temporary, journal->dir, name, RENAME_NOREPLACE);
	else
		r = linkat(AT_FDCWD, link, journal->dir, name, AT_SYMLINK_FOLLOW);
	if (r == 0)
		return 0;
	r = err_set_errno(err, negative_errno(), "cannot create journal '%s'", name);
	remove_new(journal);
	return r;
}

void journal_abandon(struct journal *journal)
{
	remove_new(journal);
	journal_done(journal);
}

/* Only root and we may be able to write to it. */
static int journal_check_file(int fd, off_t *ret_size)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return negative_errno();
	if (!S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0) ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)))
		return -EPERM;
	if (st.st_nlink == 0)
		return -ENOENT;
	if (st.st_size > JOURNAL_MAX)
		return -EFBIG;
	*ret_size = st.st_size;
	return 0;
}

/*
 * Returns 1 if locked, 0 if another process holds the lock, or a negative errno. JOURNAL_TAKE
 * retries, because readers hold the shared lock only briefly.
 */
static int journal_lock(int fd, enum journal_use use)
{
	for (int tries = 0;; tries++) {
		if (flock(fd, (use == JOURNAL_TAKE ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0)
			return 1;
		if (errno != EWOULDBLOCK)
			return negative_errno();
		if (use == JOURNAL_LOOK || tries == TAKE_TRIES)
			return 0;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
}

int journal_open(int dir, const char *id, enum journal_use use, struct journal *ret_journal,
		 struct fathom_err *err)
{
	_cleanup_journal_ struct journal journal = JOURNAL_NONE;
	char name[FILE_NAME_SIZE];
	int r;

	if (!session_id_is_valid(id))
		return err_set(err, -EINVAL, "invalid session ID '%s'", id);
	snprintf(journal.id, sizeof(journal.id), "%s", id);
	journal_file_name(id, "journal", name);
	journal.dir = dir;
	journal.fd = openat(dir, name, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (journal.fd < 0)
		return err_set_errno(err, negative_errno(), "cannot open journal '%s'", name);
	r = journal_lock(journal.fd, use);
	if (r < 0)
		return err_set_errno(err, r, "cannot lock journal '%s'", name);
	journal.locked = r > 0;
	/* Check with the lock held: it may have been removed before. */
	r = journal_check_file(journal.fd, &journal.size);
	if (r < 0)
		return err_set_errno(err, r, "cannot use journal '%s'", name);
	*ret_journal = TAKE_STRUCT(journal, JOURNAL_NONE);
	return 0;
}

uint32_t journal_add(struct journal *journal, enum record_type type, const char *const *fields,
		     size_t nfields)
{
	uint32_t number = journal->records + journal->pending_records;
	int r = record_encode(&journal->pending, number, type, fields, nfields);

	if (r < 0)
		journal->pending_err = r;
	journal->pending_records++;
	return number;
}

void journal_void(struct journal *journal, uint32_t number)
{
	char text[16];
	const char *fields[] = { text };

	snprintf(text, sizeof(text), "%u", number);
	journal_add(journal, RECORD_VOID, fields, 1);
}

static int write_pending(struct journal *journal)
{
	size_t done = 0;

	/* Records appended after a torn one would not be found. */
	if (journal->torn && ftruncate(journal->fd, journal->size) < 0)
		return negative_errno();
	journal->torn = false;
	while (done < journal->pending.len) {
		ssize_t n =
			write(journal->fd, journal->pending.s + done, journal->pending.len - done);

		if (n < 0 && errno != EINTR)
			return negative_errno();
		if (n > 0)
			done += (size_t)n;
	}
	return fdatasync(journal->fd) < 0 ? negative_errno() : 0;
}

int journal_commit(struct journal *journal, struct fathom_err *err)
{
	int r = journal->pending_err;

	if (r == 0 && journal->pending.len)
		r = write_pending(journal);
	if (r == 0) {
		journal->size += (off_t)journal->pending.len;
		journal->records += journal->pending_records;
	} else if (ftruncate(journal->fd, journal->size) < 0) {
		journal->torn = true;
	}
	strbuf_clear(&journal->pending);
	journal->pending_records = 0;
	journal->pending_err = 0;
	return r < 0 ? err_set_errno(err, r, "cannot write the journal; nothing was changed") : 0;
}

static int journal_read_all(int fd, off_t size, struct strbuf *bytes)
{
	size_t want = (size_t)size, got = 0;
	char *at = strbuf_room(bytes, want + 1);

	if (!at)
		return -ENOMEM;
	while (got < want) {
		ssize_t n = pread(fd, at + got, want - got, (off_t)got);

		if (n < 0 && errno != EINTR)
			return negative_errno();
		if (n == 0)
			break;
		if (n > 0)
			got += (size_t)n;
	}
	bytes->len += got;
	bytes->s[bytes->len] = '\0';
	return 0;
}

int journal_load(struct journal *journal, struct strbuf *bytes, struct records *ret_records,
		 struct fathom_err *err)
{
	off_t size = 0;
	int r = journal_check_file(journal->fd, &size);

	strbuf_clear(bytes);
	if (r == 0)
		r = journal_read_all(journal->fd, size, bytes);
	if (r < 0)
		return err_set_errno(err, r, "cannot read journal '%s'", journal->id);
	r = records_parse(strbuf_str(bytes), bytes->len, ret_records, err);
	if (r < 0)
		return r;
	journal->records = (uint32_t)ret_records->n;
	journal->size = (off_t)ret_records->size;
	journal->torn = ret_records->torn != 0;
	return 0;
}

int journal_remove(struct journal *journal, struct fathom_err *err)
{
	char name[FILE_NAME_SIZE];

	journal_file_name(journal->id, "journal", name);
	if (unlinkat(journal->dir, name, 0) < 0 && errno != ENOENT)
		return err_set_errno(err, negative_errno(), "cannot remove journal '%s'", name);
	return 0;
}

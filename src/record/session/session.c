/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life cycle of a session: open, keep, adopt, close. */
#include "record/session/session-parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/str.h"

#define NUMBER_SIZE	24
#define RESTORE_WAIT_MS 2000

/*
 * The start time of a process in ticks since boot, as text. Together with the PID, it identifies a
 * process.
 */
static void start_time(pid_t pid, char text[static NUMBER_SIZE])
{
	char path[64], line[1024], *at;

	snprintf(text, NUMBER_SIZE, "0");
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (file_read_line(AT_FDCWD, path, line, sizeof(line)) <= 0)
		return;
	/*
	 * The name, in parentheses, may contain anything. The start time is field 22; the state is
	 * field 3.
	 */
	at = strrchr(line, ')');
	for (int field = 2; at && field < 22; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	if (at)
		snprintf(text, NUMBER_SIZE, "%.*s", (int)strspn(at, "0123456789"), at);
}

static void session_pid_namespace(char text[static NUMBER_SIZE])
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) < 0)
		st.st_ino = 0;
	snprintf(text, NUMBER_SIZE, "%llu", (unsigned long long)st.st_ino);
}

static int begin_journal(struct session *session, const char *command, struct fathom_err *err)
{
	char pid[NUMBER_SIZE], start[NUMBER_SIZE], namespace[NUMBER_SIZE], now[NUMBER_SIZE];
	const char *begin[BEGIN_FIELDS] = {
		[BEGIN_BOOT] = session->env.boot_id, [BEGIN_PID] = pid,	 [BEGIN_START] = start,
		[BEGIN_PID_NAMESPACE] = namespace,   [BEGIN_TIME] = now, [BEGIN_COMMAND] = command,
	};

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	start_time(getpid(), start);
	session_pid_namespace(namespace);
	snprintf(now, sizeof(now), "%lld", (long long)time(NULL));
	return journal_create(session->env.journals, begin, &session->journal, err);
}

static int begin_guardian(struct session *session, struct fathom_err *err)
{
	char pid[NUMBER_SIZE], start[NUMBER_SIZE];
	const char *fields[] = { pid, start };
	int r = guardian_start(&session->journal, &session->env, &session->guardian, err);

	if (r < 0) {
		journal_abandon(&session->journal);
		return r;
	}
	/* From now on, the guardian removes it, no matter how we end. */
	r = journal_publish(&session->journal, err);
	if (r < 0)
		return r;
	snprintf(pid, sizeof(pid), "%d", (int)session->guardian.pid);
	start_time(session->guardian.pid, start);
	journal_add(&session->journal, RECORD_GUARDIAN, fields, ARRAY_SIZE(fields));
	return journal_commit(&session->journal, err);
}

static int session_new(const char *root, struct session **ret_session, struct fathom_err *err)
{
	_cleanup_session_ struct session *session = mem_zalloc(1, sizeof(*session));
	int r;

	if (!session)
		return err_nomem(err);
	session->env = (struct session_env)SESSION_ENV_NONE;
	session->journal = (struct journal)JOURNAL_NONE;
	session->guardian = (struct guardian)GUARDIAN_NONE;
	r = session_env_open(root, &session->env, err);
	if (r == 0)
		r = session_env_check(&session->env, err);
	if (r < 0)
		return r;
	*ret_session = TAKE_PTR(session);
	return 0;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	for (size_t i = 0; i < session->nplaces; i++) {
		if (session->places[i]->fd != session->env.tracefs.fd)
			close(session->places[i]->fd);
		free(session->places[i]->instance);
		free(session->places[i]);
	}
	free(session->places);
	free(session->saved);
	arena_done(&session->arena);
	/* The guardian must find the files of the instances closed. */
	guardian_done(&session->guardian);
	journal_done(&session->journal);
	session_env_done(&session->env);
	free(session);
}

int session_open(const char *root, const char *command, struct session **ret_session,
		 struct fathom_err *err)
{
	_cleanup_session_ struct session *session = NULL;
	int r = session_new(root, &session, err);

	if (r == 0)
		r = session_env_make_journals(&session->env, err);
	if (r == 0)
		r = begin_journal(session, command, err);
	if (r == 0)
		r = begin_guardian(session, err);
	if (r < 0)
		return r;
	*ret_session = TAKE_PTR(session);
	return 0;
}

/* Remembers which files the records have saved. */
static int note_records(struct session *session, const struct records *records)
{
	for (size_t i = 0; i < records->n; i++) {
		const struct record *record = &records->list[i];
		bool sysctl = record->type == RECORD_SYSCTL;
		int r;

		if (record->type == RECORD_INSTANCE && str_after(record->field[0], "fathom-"))
			session->privates++;
		if (record->type == RECORD_TOP && !record->is_void)
			session->has_top = true;
		if (record->is_void || (!sysctl && record->type != RECORD_SETTING))
			continue;
		r = session_note_saved(session, sysctl ? NULL : record->field[0],
				       record->field[sysctl ? 0 : 1], (uint32_t)i);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool session_is_kept(const struct records *records)
{
	for (size_t i = 0; i < records->n; i++)
		if (records->list[i].type == RECORD_KEPT)
			return true;
	return false;
}

static int adopt_records(struct session *session, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	const char *id = session->journal.id;
	int r = journal_load(&session->journal, &bytes, &records, err);

	if (r < 0)
		return r;
	if (!str_eq(records.list[0].field[BEGIN_BOOT], session->env.boot_id))
		return err_set(err, -ENOENT, "session '%s' ended with a reboot", id);
	if (!session_is_kept(&records))
		return err_set(err, -EINVAL,
			       "session '%s' did not end properly; use 'fathom reset' to "
			       "restore its settings",
			       id);
	return note_records(session, &records) < 0 ? err_nomem(err) : 0;
}

int session_adopt(const char *root, const char *id, struct session **ret_session,
		  struct fathom_err *err)
{
	_cleanup_session_ struct session *session = NULL;
	int r = session_new(root, &session, err);

	if (r == 0 && session->env.journals < 0)
		r = err_set(err, -ENOENT, "no session '%s'; see 'fathom ps'", id);
	if (r == 0)
		r = journal_open(session->env.journals, id, JOURNAL_TAKE, &session->journal, err);
	if (r == 0 && !session->journal.locked)
		r = err_set(err, -EBUSY, "session '%s' is active", id);
	if (r == 0)
		r = adopt_records(session, err);
	if (r < 0)
		return r;
	*ret_session = TAKE_PTR(session);
	return 0;
}

/* Our own open files would prevent the removal of an instance. */
static void close_places(struct session *session)
{
	for (size_t i = 0; i < session->nplaces; i++) {
		if (session->places[i]->fd == session->env.tracefs.fd)
			continue;
		close(session->places[i]->fd);
		session->places[i]->fd = session->env.tracefs.fd;
	}
}

int session_close(struct session *session, struct restore_result *ret_result,
		  struct fathom_err *err)
{
	_cleanup_session_ struct session *closing = session;
	struct restore_result result = { 0 };
	int r;

	close_places(closing);
	r = guardian_restore(&closing->guardian, &closing->journal, &result, err);
	if (r == -ESRCH)
		r = journal_replay(&closing->journal, &closing->env, RESTORE_WAIT_MS, &result, err);
	if (closing->guardian.was_stopped)
		result.stopped_guardian = closing->guardian.pid;
	*ret_result = result;
	return r;
}

int session_keep(struct session *session, struct fathom_err *err)
{
	_cleanup_session_ struct session *keeping = session;
	int r;

	session_void_unchanged(keeping);
	journal_add(&keeping->journal, RECORD_KEPT, NULL, 0);
	r = journal_commit(&keeping->journal, err);
	if (r == 0)
		guardian_release(&keeping->guardian, &keeping->journal);
	return r;
}

const char *session_id(const struct session *session)
{
	return session->journal.id;
}

pid_t session_guardian(const struct session *session)
{
	return session->guardian.pid;
}

const struct session_env *session_env(const struct session *session)
{
	return &session->env;
}

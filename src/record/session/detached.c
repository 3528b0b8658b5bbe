/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/session/detached.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "kernel/tracefs/instance-dir.h"
#include "record/session/journal.h"
#include "record/session/session-list.h"
#include "record/session/session-parts.h"

/* A message lists at most this many sessions. */
#define NAMED_MAX 4

int session_add_buffer(struct session *session, const char *name, const struct session_place *place,
		       struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	const char *fields[] = { name, place->instance };
	int r = journal_load(&session->journal, &bytes, &records, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < records.n; i++)
		if (records.list[i].type == RECORD_BUFFER &&
		    str_eq(records.list[i].field[0], name) &&
		    str_eq(records.list[i].field[1], place->instance))
			return 0;
	journal_add(&session->journal, RECORD_BUFFER, fields, ARRAY_SIZE(fields));
	return journal_commit(&session->journal, err);
}

static int detached_add_buffer(struct detached_session *detached, const struct record *record)
{
	struct detached_buffer buffer = {
		.name = arena_strdup(&detached->arena, record->field[0]),
		.instance = arena_strdup(&detached->arena, record->field[1]),
	};

	if (!buffer.name || !buffer.instance ||
	    mem_reserve(&detached->buffers, &detached->cap, detached->n + 1, sizeof(buffer)) < 0)
		return -ENOMEM;
	detached->buffers[detached->n++] = buffer;
	return 0;
}

static int take_records(struct detached_session *detached, const char *id,
			const struct records *records)
{
	detached->id = arena_strdup(&detached->arena, id);
	detached->command = arena_strdup(&detached->arena, records->list[0].field[BEGIN_COMMAND]);
	if (!detached->id || !detached->command)
		return -ENOMEM;
	for (size_t i = 0; i < records->n; i++)
		if (records->list[i].type == RECORD_BUFFER && !records->list[i].is_void &&
		    detached_add_buffer(detached, &records->list[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int detached_load(const struct session_env *env, const char *id,
			 struct detached_session *detached, struct fathom_err *err)
{
	_cleanup_journal_ struct journal journal = JOURNAL_NONE;
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	int r = -ENOENT;

	if (env->journals >= 0)
		r = journal_open(env->journals, id, JOURNAL_LOOK, &journal, err);
	if (r == -ENOENT)
		return err_set(err, r, "no session '%s'; see 'fathom ps'", id);
	if (r >= 0)
		r = journal_load(&journal, &bytes, &records, err);
	if (r < 0)
		return r;
	if (!str_eq(records.list[0].field[BEGIN_BOOT], env->boot_id))
		return err_set(err, -ENOENT, "session '%s' ended with a reboot", id);
	return take_records(detached, id, &records) < 0 ? err_nomem(err) : 0;
}

struct search {
	struct detached_session found;
	size_t n;
	struct strbuf names;
	const struct session_info *busy; /* one in use by another command, or NULL */
	struct fathom_err *err;
};

static int search_one(const struct session_env *env, const struct session_info *info,
		      struct search *search)
{
	_cleanup_detached_ struct detached_session detached = { 0 };
	int r;

	if (info->state == SESSION_ALIVE)
		search->busy = info;
	if (info->state != SESSION_KEPT)
		return 0;
	r = detached_load(env, info->id, &detached, NULL);
	if (r < 0 || !detached.n)
		return r == -ENOMEM ? r : 0;
	if (search->n++ < NAMED_MAX)
		strbuf_addf(&search->names, "%s%s ('%.60s')", search->names.len ? ", " : "",
			    info->id, info->command);
	if (search->n == 1) {
		search->found = TAKE_STRUCT(detached, { 0 });
	}
	return search->names.err;
}

static void detached_search_done(struct search *search)
{
	detached_done(&search->found);
	strbuf_done(&search->names);
}

/* Finds the only detached session. */
static int find_only(const struct session_env *env, struct detached_session *ret_kept,
		     struct fathom_err *err)
{
	_cleanup_session_list_ struct session_list list = { 0 };
	_cleanup_(detached_search_done) struct search search = { .err = err };
	int r = session_list_read(env, &list, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < list.n; i++)
		if (search_one(env, &list.list[i], &search) < 0)
			return err_nomem(err);
	if (!search.n && search.busy)
		return err_set(err, -ENOENT,
			       "no idle detached session: another command is using session '%s' "
			       "('%.100s')",
			       search.busy->id, search.busy->command);
	if (!search.n)
		return err_set(err, -ENOENT,
			       "no detached session; use 'fathom start' to create one");
	if (search.n > 1)
		return err_set(err, -E2BIG,
			       "ambiguous: %zu detached sessions: %s; select one "
			       "with --session",
			       search.n, strbuf_str(&search.names));
	*ret_kept = search.found;
	search.found = (struct detached_session){ 0 };
	return 0;
}

int detached_find(const struct session_env *env, const char *id, struct detached_session *ret_kept,
		  struct fathom_err *err)
{
	_cleanup_detached_ struct detached_session detached = { 0 };
	int r;

	if (!id)
		return find_only(env, ret_kept, err);
	r = detached_load(env, id, &detached, err);
	if (r == 0 && !detached.n)
		r = err_set(err, -ENOENT, "session '%s' ('%.100s') has no buffers", id,
			    detached.command);
	if (r < 0)
		return r;
	*ret_kept = TAKE_STRUCT(detached, { 0 });
	return 0;
}

void detached_done(struct detached_session *detached)
{
	free(detached->buffers);
	arena_done(&detached->arena);
	*detached = (struct detached_session){ 0 };
}

const struct detached_buffer *detached_buffer(const struct detached_session *detached,
					      const char *name)
{
	for (size_t i = 0; i < detached->n; i++)
		if (str_eq(detached->buffers[i].name, name))
			return &detached->buffers[i];
	return NULL;
}

int detached_open(const struct session_env *env, const struct detached_buffer *buffer,
		  struct fathom_err *err)
{
	int fd = *buffer->instance ? instance_dir_open(env->tracefs.fd, buffer->instance) :
				     fcntl(env->tracefs.fd, F_DUPFD_CLOEXEC, 0);

	if (fd == -ENOENT)
		return err_set(err, fd, "instance '%s' of the session was removed",
			       buffer->instance);
	/* fcntl() sets errno, instance_dir_open() returns it. */
	if (fd < 0)
		return err_set_errno(err, *buffer->instance ? fd : negative_errno(),
				     "cannot open instance '%s'", buffer->instance);
	return fd;
}

int detached_place(struct session *session, const struct detached_buffer *buffer,
		   struct session_place **ret_place, struct fathom_err *err)
{
	/* An instance that was removed must not be created again. */
	_cleanup_close_ int fd = detached_open(session_env(session), buffer, err);

	if (fd < 0)
		return fd;
	if (!*buffer->instance)
		return session_place_top(session, true, ret_place, err);
	return session_place_instance(session, buffer->instance, ret_place, err);
}

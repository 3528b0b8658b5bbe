/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/session/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "kernel/tracefs/instance-dir.h"
#include "record/session/journal.h"
#include "record/session/session-list.h"
#include "record/session/session-parts.h"

/* More sessions than this are not named in a message. */
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

static int kept_add_buffer(struct kept *kept, const struct record *record)
{
	struct kept_buffer buffer = {
		.name = arena_strdup(&kept->arena, record->field[0]),
		.instance = arena_strdup(&kept->arena, record->field[1]),
	};

	if (!buffer.name || !buffer.instance ||
	    mem_reserve(&kept->buffers, &kept->cap, kept->n + 1, sizeof(buffer)) < 0)
		return -ENOMEM;
	kept->buffers[kept->n++] = buffer;
	return 0;
}

static int take_records(struct kept *kept, const char *id, const struct records *records)
{
	kept->id = arena_strdup(&kept->arena, id);
	kept->command = arena_strdup(&kept->arena, records->list[0].field[BEGIN_COMMAND]);
	if (!kept->id || !kept->command)
		return -ENOMEM;
	for (size_t i = 0; i < records->n; i++)
		if (records->list[i].type == RECORD_BUFFER && !records->list[i].is_void &&
		    kept_add_buffer(kept, &records->list[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int kept_load(const struct session_env *env, const char *id, struct kept *kept,
		     struct fathom_err *err)
{
	_cleanup_journal_ struct journal journal = JOURNAL_NONE;
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	int r = -ENOENT;

	if (env->journals >= 0)
		r = journal_open(env->journals, id, JOURNAL_LOOK, &journal, err);
	if (r == -ENOENT)
		return err_set(err, r, "there is no session '%s'; 'fathom ps' lists them", id);
	if (r == 0)
		r = journal_load(&journal, &bytes, &records, err);
	if (r < 0)
		return r;
	if (!str_eq(records.list[0].field[BEGIN_BOOT], env->boot_id))
		return err_set(err, -ENOENT, "the session '%s' ended with a reboot", id);
	return take_records(kept, id, &records) < 0 ? err_nomem(err) : 0;
}

struct search {
	struct kept found;
	size_t n;
	struct strbuf names;
	const struct session_info *busy; /* one that another command is at work in; NULL: none */
	struct fathom_err *err;
};

static int search_one(const struct session_env *env, const struct session_info *info,
		      struct search *search)
{
	_cleanup_kept_ struct kept kept = { 0 };
	int r;

	if (info->state == SESSION_ALIVE)
		search->busy = info;
	if (info->state != SESSION_KEPT)
		return 0;
	r = kept_load(env, info->id, &kept, NULL);
	if (r < 0 || !kept.n)
		return r == -ENOMEM ? r : 0;
	if (search->n++ < NAMED_MAX)
		strbuf_addf(&search->names, "%s%s ('%.60s')", search->names.len ? ", " : "",
			    info->id, info->command);
	if (search->n == 1) {
		search->found = kept;
		kept = (struct kept){ 0 };
	}
	return search->names.err;
}

static void kept_search_done(struct search *search)
{
	kept_done(&search->found);
	strbuf_done(&search->names);
}

/* The only one that is kept. */
static int find_only(const struct session_env *env, struct kept *ret_kept, struct fathom_err *err)
{
	_cleanup_session_list_ struct session_list list = { 0 };
	_cleanup_(kept_search_done) struct search search = { .err = err };
	int r = session_list_read(env, &list, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < list.n; i++)
		if (search_one(env, &list.list[i], &search) < 0)
			return err_nomem(err);
	if (!search.n && search.busy)
		return err_set(
			err, -ENOENT,
			"no session is kept that is not in use; another command is at work in "
			"session '%s' ('%.100s')",
			search.busy->id, search.busy->command);
	if (!search.n)
		return err_set(err, -ENOENT,
			       "no session is kept; 'fathom start' begins one, 'fathom ps' shows "
			       "what is there");
	if (search.n > 1)
		return err_set(err, -E2BIG, "%zu sessions are kept: %s; choose one with --session",
			       search.n, strbuf_str(&search.names));
	*ret_kept = search.found;
	search.found = (struct kept){ 0 };
	return 0;
}

int kept_find(const struct session_env *env, const char *id, struct kept *ret_kept,
	      struct fathom_err *err)
{
	_cleanup_kept_ struct kept kept = { 0 };
	int r;

	if (!id)
		return find_only(env, ret_kept, err);
	r = kept_load(env, id, &kept, err);
	if (r == 0 && !kept.n)
		r = err_set(err, -ENOENT, "the session '%s' ('%.100s') has no buffers", id,
			    kept.command);
	if (r < 0)
		return r;
	*ret_kept = kept;
	kept = (struct kept){ 0 };
	return 0;
}

void kept_done(struct kept *kept)
{
	free(kept->buffers);
	arena_done(&kept->arena);
	*kept = (struct kept){ 0 };
}

const struct kept_buffer *kept_buffer(const struct kept *kept, const char *name)
{
	for (size_t i = 0; i < kept->n; i++)
		if (str_eq(kept->buffers[i].name, name))
			return &kept->buffers[i];
	return NULL;
}

int kept_open(const struct session_env *env, const struct kept_buffer *buffer,
	      struct fathom_err *err)
{
	int fd = *buffer->instance ? instance_dir_open(env->tracefs.fd, buffer->instance) :
				     fcntl(env->tracefs.fd, F_DUPFD_CLOEXEC, 0);

	if (fd == -ENOENT)
		return err_set(err, fd, "the instance '%s' of the session was removed",
			       buffer->instance);
	/* fcntl() says -1, the other its errno. */
	if (fd < 0)
		return err_set_errno(err, *buffer->instance ? fd : -errno,
				     "cannot look into the instance '%s'", buffer->instance);
	return fd;
}

int kept_place(struct session *session, const struct kept_buffer *buffer,
	       struct session_place **ret_place, struct fathom_err *err)
{
	/* An instance that is gone must not be made anew. */
	_cleanup_close_ int fd = kept_open(session_env(session), buffer, err);

	if (fd < 0)
		return fd;
	if (!*buffer->instance)
		return session_place_top(session, true, ret_place, err);
	return session_place_instance(session, buffer->instance, ret_place, err);
}

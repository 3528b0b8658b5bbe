/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The places of a session's settings, and their other users. */
#include "record/session/session-parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "kernel/tracefs/instance-dir.h"
#include "kernel/state/state.h"
#include "record/session/session-list.h"

/* Takes ownership of @fd, unless it is that of the top level. */
static int session_places_add(struct session *session, int fd, const char *instance, bool owned,
			      struct session_place **ret_place, struct fathom_err *err)
{
	_cleanup_free_ struct session_place *place = mem_zalloc(1, sizeof(*place));
	_cleanup_free_ char *name = mem_strdup(instance);

	if (!place || !name ||
	    mem_reserve(&session->places, &session->places_cap, session->nplaces + 1,
			sizeof(void *)) < 0) {
		if (fd != session->env.tracefs.fd)
			close(fd);
		return err_nomem(err);
	}
	*place = (struct session_place){ .fd = fd, .instance = TAKE_PTR(name), .owned = owned };
	*ret_place = session->places[session->nplaces++] = TAKE_PTR(place);
	return 0;
}

static struct session_place *session_places_find(const struct session *session,
						 const char *instance)
{
	for (size_t i = 0; i < session->nplaces; i++)
		if (str_eq(session->places[i]->instance, instance))
			return session->places[i];
	return NULL;
}

static void session_places_take_back(struct session *session, uint32_t record)
{
	journal_void(&session->journal, record);
	journal_commit(&session->journal, NULL);
}

/* Creates an instance. Returns -EEXIST if it exists. */
static int make_instance(struct session *session, const char *name,
			 struct session_place **ret_place, struct fathom_err *err)
{
	uint32_t record;
	int r, fd;

	record = journal_add(&session->journal, RECORD_INSTANCE, &name, 1);
	r = journal_commit(&session->journal, err);
	if (r < 0)
		return r;
	r = instance_dir_make(session->env.tracefs.fd, name);
	if (r < 0) {
		session_places_take_back(session, record);
		return err_set_errno(err, r, "cannot create instance '%s'", name);
	}
	fd = instance_dir_open(session->env.tracefs.fd, name);
	if (fd < 0)
		return err_set_errno(err, fd, "cannot open instance '%s'", name);
	return session_places_add(session, fd, name, true, ret_place, err);
}

int session_place_private(struct session *session, struct session_place **ret_place,
			  struct fathom_err *err)
{
	char name[64];

	if (session->privates == 0)
		snprintf(name, sizeof(name), "fathom-%s", session->journal.id);
	else
		snprintf(name, sizeof(name), "fathom-%s-%u", session->journal.id,
			 session->privates + 1);
	session->privates++;
	return make_instance(session, name, ret_place, err);
}

/* Finds out whether this session has created the instance in an earlier process. */
static int find_made(struct session *session, const char *name, bool *ret_made,
		     struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	int r = journal_load(&session->journal, &bytes, &records, err);

	if (r < 0)
		return r;
	*ret_made = false;
	for (size_t i = 0; i < records.n; i++)
		if (records.list[i].type == RECORD_INSTANCE && !records.list[i].is_void &&
		    str_eq(records.list[i].field[0], name))
			*ret_made = true;
	return 0;
}

int session_place_instance(struct session *session, const char *name,
			   struct session_place **ret_place, struct fathom_err *err)
{
	struct session_place *known = session_places_find(session, name);
	bool made;
	int fd, r;

	if (!instance_name_is_valid(name))
		return err_set(err, -EINVAL, "invalid instance name '%s'", name);
	if (known) {
		*ret_place = known;
		return 0;
	}
	fd = instance_dir_open(session->env.tracefs.fd, name);
	if (fd == -ENOENT)
		return make_instance(session, name, ret_place, err);
	if (fd < 0)
		return err_set_errno(err, fd, "cannot open instance '%s'", name);
	r = find_made(session, name, &made, err);
	if (r < 0) {
		close(fd);
		return r;
	}
	return session_places_add(session, fd, name, made, ret_place, err);
}

/* Stops at a session that uses the top level, and describes it for the message. */
static int see_top(const struct record *begin, const struct record *record, void *arg)
{
	struct strbuf *who = arg;

	if (record->type != RECORD_TOP)
		return 0;
	strbuf_addf(who, "session '%s' (pid %s, '%.100s')", begin->field[BEGIN_ID],
		    begin->field[BEGIN_PID], begin->field[BEGIN_COMMAND]);
	return 1;
}

static void session_places_add_reason(struct strbuf *why, const char *text)
{
	strbuf_addf(why, "%s%s", why->len ? "; " : "", text);
}

/* A filter suggests that someone is about to trace; a clock or a size does not. */
static bool is_filter(const char *setting)
{
	return str_after(setting, "set_") || str_after(setting, "filter of") ||
	       str_after(setting, "trigger of");
}

static void find_reasons(const struct trace_state *state, struct strbuf *why)
{
	const struct state_buffer *top = state->buffers.count ? &state->buffers.items[0] : NULL;
	char text[256];

	if (top && *top->tracer && !str_eq(top->tracer, "nop")) {
		snprintf(text, sizeof(text), "tracer '%s' is active", top->tracer);
		session_places_add_reason(why, text);
	}
	if (top && top->events.count) {
		snprintf(text, sizeof(text), "%zu event%s enabled, such as '%.60s'",
			 top->events.count, top->events.count == 1 ? " is" : "s are",
			 top->events.items[0]);
		session_places_add_reason(why, text);
	}
	for (size_t i = 0; top && i < top->settings.count; i++) {
		if (!is_filter(top->settings.items[i].name))
			continue;
		snprintf(text, sizeof(text), "'%.80s' is set", top->settings.items[i].name);
		session_places_add_reason(why, text);
	}
	for (size_t i = 0; i < state->holders.count; i++) {
		const struct state_holder *holder = &state->holders.items[i];

		if (!str_after(holder->what, "trace_pipe") && !str_eq(holder->what, "free_buffer"))
			continue;
		snprintf(text, sizeof(text), "'%.32s' (pid %ld) has '%.60s' open", holder->comm,
			 holder->pid, holder->what);
		session_places_add_reason(why, text);
	}
}

static int check_strangers(struct session *session, struct fathom_err *err)
{
	_cleanup_trace_state_ struct trace_state state = { 0 };
	_cleanup_strbuf_ struct strbuf why = { 0 };
	int r = trace_state_read(session->env.root, &session->env.tracefs, &state, err);

	if (r < 0)
		return r;
	find_reasons(&state, &why);
	if (why.err)
		return err_nomem(err);
	if (!why.len)
		return 0;
	return err_set(err, -EBUSY,
		       "the top-level buffer is in use: %.300s; stop that, or use --force to "
		       "take it over",
		       strbuf_str(&why));
}

static int check_sessions(struct session *session, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf who = { 0 };
	int r = session_each_record(&session->env, session->journal.id, see_top, &who);

	if (r == 0)
		return 0;
	if (r < 0 || who.err)
		return err_set_errno(err, r < 0 ? r : who.err, "cannot find other sessions");
	return err_set(err, -EBUSY,
		       "%s is using the top-level buffer: wait until it ends, or use 'fathom "
		       "reset' if it is dead",
		       strbuf_str(&who));
}

int session_place_top(struct session *session, bool force, struct session_place **ret_place,
		      struct fathom_err *err)
{
	struct session_place *known = session_places_find(session, "");
	uint32_t record;
	int r;

	if (known) {
		*ret_place = known;
		return 0;
	}
	if (session->has_top)
		return session_places_add(session, session->env.tracefs.fd, "", false, ret_place,
					  err);
	/* Write our record before looking for others: of two concurrent sessions, at least one sees the other. */
	record = journal_add(&session->journal, RECORD_TOP, NULL, 0);
	r = journal_commit(&session->journal, err);
	if (r < 0)
		return r;
	r = check_sessions(session, err);
	if (r == 0 && !force)
		r = check_strangers(session, err);
	if (r < 0) {
		session_places_take_back(session, record);
		return r;
	}
	return session_places_add(session, session->env.tracefs.fd, "", false, ret_place, err);
}

static bool draws_graph(int dir)
{
	char tracer[64];

	return file_read_line(dir, "current_tracer", tracer, sizeof(tracer)) > 0 &&
	       str_eq(tracer, "function_graph");
}

static int refuse_graph(const char *where, struct fathom_err *err)
{
	return err_set(err, -EBUSY,
		       "function_graph is in use %.150s, and this kernel shares its filters and "
		       "depth limit: stop that, or use --force to set them for both",
		       where);
}

int session_check_graphs(struct session *session, struct fathom_err *err)
{
	int fd = openat(session->env.tracefs.fd, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	if (!session_places_find(session, "") && draws_graph(session->env.tracefs.fd))
		return refuse_graph("at the top level", err);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		_cleanup_close_ int instance = -1;
		char where[300];

		if (entry->d_name[0] == '.' || session_places_find(session, entry->d_name))
			continue;
		instance = instance_dir_open(session->env.tracefs.fd, entry->d_name);
		if (instance < 0 || !draws_graph(instance))
			continue;
		snprintf(where, sizeof(where), "in instance '%s'", entry->d_name);
		return refuse_graph(where, err);
	}
	return 0;
}

/* Caches the tracers that instances offer, for this boot. */
#define TRACERS_FILE ".instance-tracers"

/* Returns 1, 0, or a negative errno. */
static int session_places_offers(int dir, const char *tracer)
{
	_cleanup_strbuf_ struct strbuf tracers = { 0 };
	int r = file_read(dir, "available_tracers", &tracers);

	return r < 0 ? r : str_has_word(strbuf_str(&tracers), " \n", tracer);
}

/* Creating an instance just to find that the tracer is missing takes half a second on old kernels. */
int session_remember_offer(const struct session_env *env, const char *tracer)
{
	_cleanup_strbuf_ struct strbuf seen = { 0 };
	int r = file_read(env->journals, TRACERS_FILE, &seen);
	char *rest = seen.s, *boot, *tracers;

	if (r == -ENOMEM)
		return r;
	boot = r < 0 ? NULL : str_next_line(&rest);
	tracers = boot ? str_next_line(&rest) : NULL;
	/* The last line marks the end of a complete file. */
	if (!tracers || !str_eq(boot, env->boot_id) || !rest || !str_after(rest, "end"))
		return -ENOENT;
	return str_has_word(tracers, " ", tracer);
}

static void note_offers(const struct session *session, int instance)
{
	_cleanup_close_ int fd = -1;
	char tracers[512], text[640];
	int n;

	if (file_read_line(instance, "available_tracers", tracers, sizeof(tracers)) <= 0)
		return;
	n = snprintf(text, sizeof(text), "%s\n%s\nend\n", session->env.boot_id, tracers);
	fd = openat(session->env.journals, TRACERS_FILE,
		    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* An incomplete file is ignored by its readers. */
	if (fd >= 0 && n < (int)sizeof(text))
		(void)!write(fd, text, (size_t)n);
}

/* Removes the newest place. Its record in the journal does no harm without the instance. */
static void drop_private(struct session *session)
{
	struct session_place *place = session->places[--session->nplaces];

	close(place->fd);
	instance_dir_remove(session->env.tracefs.fd, place->instance, 0);
	free(place->instance);
	free(place);
	session->privates--;
}

static int place_at_top(struct session *session, const char *tracer, bool force,
			struct session_place **ret_place, const char **ret_note,
			struct fathom_err *err)
{
	int r = session_places_offers(session->env.tracefs.fd, tracer);

	if (r == 0)
		return err_set(err, -EINVAL, "no tracer '%s' in this kernel", tracer);
	if (r < 0)
		return err_set_errno(err, r, "cannot read 'available_tracers'");
	r = session_place_top(session, force, ret_place, err);
	if (r == 0)
		*ret_note = "this tracer needs the top-level buffer: nobody else can use it "
			    "until this ends and its settings are restored";
	return r;
}

int session_place_for(struct session *session, const char *tracer, bool force,
		      struct session_place **ret_place, const char **ret_note,
		      struct fathom_err *err)
{
	bool any = !tracer || str_eq(tracer, "nop");
	struct session_place *place = NULL;
	int seen = any ? 1 : session_remember_offer(&session->env, tracer), r;

	*ret_note = NULL;
	if (seen == -ENOMEM)
		return err_nomem(err);
	if (seen == 0)
		return place_at_top(session, tracer, force, ret_place, ret_note, err);
	r = session_place_private(session, &place, err);
	if (r < 0 || !place)
		return r;
	if (seen < 0) {
		note_offers(session, place->fd);
		seen = session_places_offers(place->fd, tracer);
	}
	if (seen > 0) {
		*ret_place = place;
		return 0;
	}
	drop_private(session);
	if (seen == -ENOMEM)
		return err_nomem(err);
	return place_at_top(session, tracer, force, ret_place, ret_note, err);
}

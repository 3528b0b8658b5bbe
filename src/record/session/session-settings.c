/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changes settings: first the previous value is written to the journal, then the new one to the
 * kernel. Each file is saved once, with the value before the session. Nothing is saved in an
 * instance that will be removed with the session.
 */
#include "record/session/session-parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "kernel/events/added-event.h"
#include "kernel/tracefs/instance-dir.h"
#include "kernel/tracefs/knob-kind.h"
#include "record/session/session-list.h"

#define PATH_SIZE 512
/* PROC_PID_INIT_INO of the kernel: PIDs in tracefs are those of the initial PID namespace. */
#define INIT_PID_NAMESPACE 0xEFFFFFFCu

/* The value that another session has saved for a file. */
struct inherited {
	const char *instance; /* NULL: a sysctl */
	const char *file;
	struct strbuf *value;
};

static int see_inherited(const struct record *begin, const struct record *record, void *arg)
{
	const struct inherited *inherited = arg;
	bool sysctl = !inherited->instance;

	if (record->type != (sysctl ? RECORD_SYSCTL : RECORD_SETTING) ||
	    !str_eq(record->field[sysctl ? 0 : 1], inherited->file) ||
	    (!sysctl && !str_eq(record->field[0], inherited->instance)))
		return 0;
	strbuf_clear(inherited->value);
	strbuf_adds(inherited->value, record->field[sysctl ? 1 : 2]);
	return 1;
}

/*
 * Adds a record of the previous value. If another session has changed the file before us, its saved
 * value is used, so that the last session to end restores the value before the first one.
 */
static int save_value(struct session *session, const char *instance, const char *file,
		      struct strbuf *value)
{
	struct inherited inherited = { instance, file, value };
	const char *fields[] = { instance, file, NULL };
	uint32_t record;
	int r = session_each_record(&session->env, session->journal.id, see_inherited, &inherited);

	if (r < 0 || value->err)
		return r < 0 ? r : value->err;
	fields[2] = strbuf_str(value);
	if (instance)
		record = journal_add(&session->journal, RECORD_SETTING, fields, 3);
	else
		record = journal_add(&session->journal, RECORD_SYSCTL, fields + 1, 2);
	return session_note_saved(session, instance, file, record);
}

static int save_one(struct session *session, const struct session_place *place, const char *file)
{
	struct saved_file *saved = session_find_saved(session, place->instance, file);
	_cleanup_strbuf_ struct strbuf value = { 0 };
	int r;

	if (saved) {
		/* The file itself is about to be written: the record must remain. */
		saved->doubt = NULL;
		return 0;
	}
	r = knob_read(place->fd, file, &value);
	return r < 0 ? r : save_value(session, place->instance, file, &value);
}

/* Saves DIR/ENTRY/FILE for every entry that has this file. */
static int save_each(struct session *session, const struct session_place *place, const char *dir,
		     const char *file)
{
	int fd = openat(place->fd, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	_cleanup_closedir_ DIR *entries = fd < 0 ? NULL : fdopendir(fd);

	if (!entries) {
		r = negative_errno();
		if (fd >= 0)
			close(fd);
		return r;
	}
	for (struct dirent *entry; r == 0 && (entry = readdir(entries));) {
		char path[PATH_SIZE];

		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s/%s", dir, entry->d_name, file) >=
			    (int)sizeof(path) ||
		    faccessat(place->fd, path, F_OK, 0) < 0)
			continue;
		r = save_one(session, place, path);
	}
	return r;
}

static int save_sizes(struct session *session, const struct session_place *place)
{
	int r = save_one(session, place, "buffer_size_kb");

	/* The size differs between CPUs. */
	return r == -EUCLEAN ? save_each(session, place, "per_cpu", "buffer_size_kb") : r;
}

/* Saves everything that writing to @file changes. */
static int save_file(struct session *session, const struct session_place *place, const char *file)
{
	char group[PATH_SIZE];
	int r;

	switch (knob_kind_of(file)) {
	case KNOB_GROUP_FILTER:
		snprintf(group, sizeof(group), "%.*s", (int)(strlen(file) - strlen("/filter")),
			 file);
		return save_each(session, place, group, "filter");
	case KNOB_SIZE:
		return str_eq(file, "buffer_size_kb") ? save_sizes(session, place) :
							save_one(session, place, file);
	case KNOB_SNAPSHOT:
		/* The snapshot of a CPU is allocated and freed together with the others. */
		return save_one(session, place, "snapshot");
	default:
		break;
	}
	/* Pages of another size can enlarge the buffer slightly. */
	if (str_eq(file, "buffer_subbuf_size_kb")) {
		r = save_sizes(session, place);
		if (r < 0)
			return r;
	}
	return save_one(session, place, file);
}

/*
 * Old kernels remember globally whether any buffer was ever given a size, so sizing an instance
 * prevents the top-level buffer from growing at its first use. Returns whether this could happen.
 */
static bool must_watch_main_buffer(const struct session *session,
				   const struct session_setting *setting)
{
	char line[128];

	return *setting->place->instance && knob_kind_of(setting->file) == KNOB_SIZE &&
	       file_read_line(session->env.tracefs.fd, "buffer_size_kb", line, sizeof(line)) > 0 &&
	       strstr(line, "expanded");
}

static struct session_place session_settings_top_of(const struct session *session)
{
	static char none[] = "";

	return (struct session_place){ .fd = session->env.tracefs.fd, .instance = none };
}

/*
 * On many kernels, all instances share the options of a tracer. Only writing an option reveals
 * whether it is shared. So the top level's value is also saved, until it is known not to change.
 */
static bool may_be_shared(const struct session_setting *setting)
{
	return *setting->place->instance && str_after(setting->file, "options/");
}

static int save_shared(struct session *session, const char *file)
{
	_cleanup_strbuf_ struct strbuf value = { 0 };
	const char *now;
	int r;

	if (session_find_saved(session, "", file))
		return 0;
	r = knob_read(session->env.tracefs.fd, file, &value);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	now = arena_strdup(&session->arena, strbuf_str(&value));
	if (!now)
		return -ENOMEM;
	r = save_value(session, "", file, &value);
	if (r == 0)
		session->saved[session->nsaved - 1].doubt = now;
	return r;
}

/* After the option was written: revokes the record if the value of the top level is unchanged. */
static void settle_shared(struct session *session, const char *file)
{
	struct saved_file *saved = session_find_saved(session, "", file);
	_cleanup_strbuf_ struct strbuf value = { 0 };

	if (!saved || !saved->doubt)
		return;
	if (knob_read(session->env.tracefs.fd, file, &value) < 0 ||
	    !str_eq(strbuf_str(&value), saved->doubt)) {
		saved->doubt = NULL;
		return;
	}
	journal_void(&session->journal, saved->record);
	*saved = session->saved[--session->nsaved];
}

static bool is_unchanged(const struct session *session, const struct record *record)
{
	const char *instance = record->field[0];
	_cleanup_close_ int fd = *instance ? instance_dir_open(session->env.tracefs.fd, instance) :
					     -1;
	_cleanup_strbuf_ struct strbuf value = { 0 };

	if (*instance && fd < 0)
		return false;
	return knob_read(*instance ? fd : session->env.tracefs.fd, record->field[1], &value) == 0 &&
	       !value.err && str_eq(strbuf_str(&value), record->field[2]);
}

void session_void_unchanged(struct session *session)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };

	if (journal_load(&session->journal, &bytes, &records, NULL) < 0)
		return;
	for (size_t i = 0; i < records.n; i++)
		if (records.list[i].type == RECORD_SETTING && !records.list[i].is_void &&
		    is_unchanged(session, &records.list[i]))
			journal_void(&session->journal, (uint32_t)i);
}

/* Commits the saved values. If that fails, the files noted since @saved do not count as saved. */
static int session_settings_commit(struct session *session, size_t saved, struct fathom_err *err)
{
	int r = journal_commit(&session->journal, err);

	if (r < 0)
		session->nsaved = saved;
	return r;
}

static int save_setting(struct session *session, const struct session_setting *setting,
			struct fathom_err *err)
{
	struct session_place top = session_settings_top_of(session);
	int r = 0;

	if (knob_kind_of(setting->file) == KNOB_NONE)
		return err_set(err, -EINVAL, "'%s' is not a setting that can be restored",
			       setting->file);
	if (must_watch_main_buffer(session, setting))
		r = save_one(session, &top, "buffer_size_kb");
	if (r == 0 && may_be_shared(setting))
		r = save_shared(session, setting->file);
	if (r == 0 && !setting->place->owned)
		r = save_file(session, setting->place, setting->file);
	return r < 0 ? err_set_errno(err, r, "cannot read '%s'", setting->file) : 0;
}

static int write_setting(struct session *session, const struct session_setting *setting,
			 struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf size = { 0 };
	bool watch = must_watch_main_buffer(session, setting);
	int r = watch ? knob_read(session->env.tracefs.fd, "buffer_size_kb", &size) : 0;

	if (r == 0)
		r = knob_write(setting->place->fd, setting->file, setting->mode, setting->value);
	if (watch && size.len)
		knob_restore(session->env.tracefs.fd, "buffer_size_kb", strbuf_str(&size));
	if (r < 0)
		return err_set_errno(err, r, "cannot write '%.80s'%s to '%s'", setting->value,
				     strlen(setting->value) > 80 ? "..." : "", setting->file);
	return 0;
}

int session_apply(struct session *session, const struct session_setting *settings, size_t n,
		  struct fathom_err *err)
{
	size_t saved = session->nsaved;
	int r = 0, committed;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = save_setting(session, &settings[i], err);
	/* Even after a failure, because values noted as saved must be saved. */
	committed = session_settings_commit(session, saved, r < 0 ? NULL : err);
	if (committed < 0)
		return r < 0 ? r : committed;
	for (size_t i = 0; r == 0 && i < n; i++) {
		r = write_setting(session, &settings[i], err);
		if (may_be_shared(&settings[i]))
			settle_shared(session, settings[i].file);
	}
	/* If a record cannot be revoked, it restores the current value, which does no harm. */
	journal_commit(&session->journal, NULL);
	return r;
}

int session_set(struct session *session, struct session_place *place, const char *file,
		const char *value, struct fathom_err *err)
{
	return session_apply(
		session,
		&(struct session_setting){
			.place = place, .file = file, .mode = KNOB_SET, .value = value },
		1, err);
}

int session_set_global(struct session *session, const char *file, enum knob_mode mode,
		       const char *value, bool force, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf old = { 0 };
	struct session_place top = session_settings_top_of(session);
	const struct session_setting setting = { &top, file, mode, value };

	/* This would change the function graph of another user. */
	if (!force && (knob_kind_of(file) == KNOB_GRAPH || str_eq(file, "max_graph_depth"))) {
		int r = session_check_graphs(session, err);

		if (r < 0)
			return r;
	}
	if (!force && knob_kind_of(file) == KNOB_GRAPH &&
	    !session_find_saved(session, top.instance, file) &&
	    knob_read(top.fd, file, &old) == 0 && old.len)
		return err_set(err, -EBUSY,
			       "'%s' is shared by all users and already set to '%.80s': clear "
			       "it, or use --force to override it",
			       file, strbuf_str(&old));
	return session_apply(session, &setting, 1, err);
}

int session_set_sysctl(struct session *session, const char *file, const char *value,
		       struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf old = { 0 };
	size_t saved = session->nsaved;
	int r = sysctl_read(session->env.proc_sys, file, &old);

	if (r < 0)
		return err_set_errno(err, r, "cannot read sysctl '%s'", file);
	if (str_eq(strbuf_str(&old), value))
		return 0;
	if (!session_find_saved(session, NULL, file)) {
		r = save_value(session, NULL, file, &old);
		if (r < 0)
			return err_nomem(err);
	}
	r = session_settings_commit(session, saved, err);
	if (r < 0)
		return r;
	r = file_write(session->env.proc_sys, file, O_TRUNC, value);
	return r < 0 ? err_set_errno(err, r, "cannot set sysctl '%s'", file) : 0;
}

int session_add_event(struct session *session, const char *definition, struct fathom_err *err)
{
	char name[ADDED_EVENT_NAME_SIZE];
	const char *fields[] = { name };
	uint32_t record;
	int r = added_event_name(definition, name, sizeof(name));

	if (r < 0)
		return err_set(err, r,
			       "a dynamic event needs a group and a name: 'p:GROUP/NAME ...'");
	record = journal_add(&session->journal, RECORD_EVENT, fields, 1);
	r = journal_commit(&session->journal, err);
	if (r < 0)
		return r;
	r = added_event_make(session->env.tracefs.fd, definition);
	if (r == 0)
		return 0;
	journal_void(&session->journal, record);
	journal_commit(&session->journal, NULL);
	return err_set_errno(err, r, "cannot add event '%s'", name);
}

int session_extend_event(struct session *session, const char *definition)
{
	/* The journal has the name of the event, which covers all its probes. */
	return added_event_extend(session->env.tracefs.fd, definition);
}

/* Returns whether the PID list @file exists and is not empty. */
static bool has_pids(const struct session_place *place, const char *file)
{
	_cleanup_strbuf_ struct strbuf value = { 0 };

	return knob_read(place->fd, file, &value) == 0 && value.len;
}

static bool session_settings_is_on(const struct session_place *place, const char *option)
{
	char line[8];

	return file_read_line(place->fd, option, line, sizeof(line)) > 0 && line[0] == '1';
}

int session_exclude_pids(struct session *session, struct session_place *place, const pid_t *pids,
			 size_t n, enum session_exclude what, struct fathom_err *err)
{
	static const struct {
		enum session_exclude from;
		const char *chosen, *excluded, *inherit;
	} lists[] = {
		{ SESSION_EXCLUDE_FUNCTIONS, "set_ftrace_pid", "set_ftrace_notrace_pid",
		  "options/function-fork" },
		{ SESSION_EXCLUDE_EVENTS, "set_event_pid", "set_event_notrace_pid",
		  "options/event-fork" },
	};
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct stat st;
	int done = 0, r = 0;

	if (stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != INIT_PID_NAMESPACE)
		return err_set(err, -EXDEV,
			       "fathom cannot exclude itself from the trace in a PID namespace");
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&text, "%s%d", i ? " " : "", (int)pids[i]);
	if (text.err)
		return err_nomem(err);
	for (size_t i = 0; n && r == 0 && i < ARRAY_SIZE(lists); i++) {
		if (!(what & lists[i].from) ||
		    faccessat(place->fd, lists[i].excluded, F_OK, 0) < 0 ||
		    has_pids(place, lists[i].chosen))
			continue;
		/*
		 * Otherwise, processes that we fork, such as the traced command, would also be
		 * excluded.
		 */
		if (session_settings_is_on(place, lists[i].inherit))
			r = session_set(session, place, lists[i].inherit, "0", err);
		if (r == 0)
			r = session_apply(session,
					  &(struct session_setting){ .place = place,
								     .file = lists[i].excluded,
								     .mode = KNOB_ADD,
								     .value = strbuf_str(&text) },
					  1, err);
		done |= lists[i].from;
	}
	return r < 0 ? r : done;
}

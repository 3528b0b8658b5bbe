/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/session/session-list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "record/session/guardian.h"
#include "record/session/journal.h"

#define RESET_WAIT_MS  2000
#define UNFINISHED_AGE 60

const char *session_state_name(enum session_state state)
{
	static const char *const names[] = {
		[SESSION_ALIVE] = "alive",	     [SESSION_KEPT] = "detached",
		[SESSION_LEFT] = "left behind",	     [SESSION_OLD] = "old",
		[SESSION_UNREADABLE] = "unreadable",
	};

	return names[state];
}

/* Extracts the ID from the file name of a journal. Returns false if it is not one. */
static bool id_of(const char *name, char id[static SESSION_ID_SIZE])
{
	if (strlen(name) != SESSION_ID_SIZE - 1 + strlen(".journal") ||
	    !str_eq(name + SESSION_ID_SIZE - 1, ".journal"))
		return false;
	memcpy(id, name, SESSION_ID_SIZE - 1);
	id[SESSION_ID_SIZE - 1] = '\0';
	return session_id_is_valid(id);
}

/* Calls @each with the ID of every journal until it returns something other than 0. */
static int each_journal(const struct session_env *env,
			int (*each)(const struct session_env *env, const char *id, void *arg),
			void *arg)
{
	_cleanup_closedir_ DIR *dir = NULL;
	int fd, r = 0;

	if (env->journals < 0)
		return 0;
	fd = openat(env->journals, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		r = negative_errno();
		if (fd >= 0)
			close(fd);
		return r;
	}
	for (struct dirent *entry; r == 0 && (entry = readdir(dir));) {
		char id[SESSION_ID_SIZE];

		if (id_of(entry->d_name, id))
			r = each(env, id, arg);
	}
	return r;
}

static void strings_of(struct session_list *list, const struct records *records,
		       struct session_info *info, bool *no_memory)
{
	_cleanup_strbuf_ struct strbuf instances = { 0 };
	const char *failure = "";

	for (size_t i = 0; i < records->n; i++) {
		const struct record *record = &records->list[i];

		if (record->is_void)
			continue;
		if (record->type == RECORD_INSTANCE)
			strbuf_addf(&instances, "%s%s", instances.len ? " " : "", record->field[0]);
		if (record->type == RECORD_FAILED)
			failure = record->field[0];
	}
	info->command = arena_strdup(&list->arena, records->list[0].field[BEGIN_COMMAND]);
	info->failure = arena_strdup(&list->arena, failure);
	info->instances = arena_strdup(&list->arena, strbuf_str(&instances));
	*no_memory = instances.err || !info->command || !info->failure || !info->instances;
}

static void numbers_of(const struct records *records, struct session_info *info)
{
	const struct record *begin = &records->list[0];

	info->pid = strtol(begin->field[BEGIN_PID], NULL, 10);
	info->since = strtoll(begin->field[BEGIN_TIME], NULL, 10);
	for (size_t i = 0; i < records->n; i++) {
		const struct record *record = &records->list[i];

		if (record->is_void)
			continue;
		switch (record->type) {
		case RECORD_GUARDIAN:
			info->guardian = strtol(record->field[0], NULL, 10);
			break;
		case RECORD_TOP:
			info->top = true;
			break;
		case RECORD_KEPT:
			if (info->state == SESSION_LEFT)
				info->state = SESSION_KEPT;
			break;
		case RECORD_INSTANCE:
		case RECORD_EVENT:
		case RECORD_SETTING:
		case RECORD_SYSCTL:
			info->changes++;
			break;
		default:
			break;
		}
	}
}

static int read_info(const struct session_env *env, const char *id, struct session_list *list,
		     struct session_info *info)
{
	_cleanup_journal_ struct journal journal = JOURNAL_NONE;
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	bool no_memory = false;
	int r;

	*info = (struct session_info){
		.state = SESSION_UNREADABLE, .command = "", .instances = "", .failure = ""
	};
	info->id = arena_strdup(&list->arena, id);
	if (!info->id)
		return -ENOMEM;
	r = journal_open(env->journals, id, JOURNAL_LOOK, &journal, NULL);
	if (r == 0)
		r = journal_load(&journal, &bytes, &records, NULL);
	if (r == -ENOMEM || r == -ENOENT)
		return r;
	if (r < 0 || records.n == 0)
		return 0;
	if (!journal.locked)
		info->state = SESSION_ALIVE;
	else if (!str_eq(records.list[0].field[BEGIN_BOOT], env->boot_id))
		info->state = SESSION_OLD;
	else
		info->state = SESSION_LEFT;
	numbers_of(&records, info);
	if (!journal.locked &&
	    guardian_left_stopped((pid_t)info->pid, (pid_t)info->guardian, &journal))
		info->state = SESSION_LEFT;
	strings_of(list, &records, info, &no_memory);
	return no_memory ? -ENOMEM : 0;
}

static int add_info(const struct session_env *env, const char *id, void *arg)
{
	struct session_list *list = arg;
	struct session_info info;
	int r = read_info(env, id, list, &info);

	/* It has ended since. */
	if (r == -ENOENT)
		return 0;
	if (r == 0)
		r = mem_reserve(&list->list, &list->cap, list->n + 1, sizeof(info));
	if (r == 0)
		list->list[list->n++] = info;
	return r;
}

static int compare_since(const void *a, const void *b)
{
	const struct session_info *x = a, *y = b;

	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return strcmp(x->id, y->id);
}

int session_list_read(const struct session_env *env, struct session_list *ret_list,
		      struct fathom_err *err)
{
	_cleanup_session_list_ struct session_list list = { 0 };
	int r;

	if (env->journals < 0 && env->journals_err != -ENOENT)
		return err_set_errno(err, env->journals_err, "cannot open '%s'", SESSION_DIR);
	r = each_journal(env, add_info, &list);
	if (r < 0)
		return err_set_errno(err, r, "cannot read the journals in '%s'", SESSION_DIR);
	if (list.n)
		qsort(list.list, list.n, sizeof(list.list[0]), compare_since);
	*ret_list = TAKE_STRUCT(list, { 0 });
	return 0;
}

void session_list_done(struct session_list *list)
{
	free(list->list);
	arena_done(&list->arena);
	*list = (struct session_list){ 0 };
}

/* Kills a stopped guardian whose recorder is dead. Returns true if the journal is now locked by us. */
static bool take_from_stopped(struct journal *journal, const struct records *records)
{
	struct session_info info = { 0 };

	numbers_of(records, &info);
	if (!guardian_left_stopped((pid_t)info.pid, (pid_t)info.guardian, journal) ||
	    !guardian_end_stopped((pid_t)info.guardian, journal))
		return false;
	journal->locked = flock(journal->fd, LOCK_EX | LOCK_NB) == 0;
	return journal->locked;
}

int session_reset(const struct session_env *env, const char *id, struct restore_result *ret_result,
		  struct fathom_err *err)
{
	_cleanup_journal_ struct journal journal = JOURNAL_NONE;
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	int r = journal_open(env->journals, id, JOURNAL_TAKE, &journal, err);

	*ret_result = (struct restore_result){ 0 };
	if (r < 0)
		return r;
	r = journal_load(&journal, &bytes, &records, err);
	if (!journal.locked && !(r == 0 && take_from_stopped(&journal, &records)))
		return err_set(err, -EBUSY, "session '%s' is active", id);
	if (r == -EBADMSG)
		return journal_remove(&journal, err);
	if (r < 0)
		return r;
	if (!str_eq(records.list[0].field[BEGIN_BOOT], env->boot_id))
		return journal_remove(&journal, err);
	return journal_replay(&journal, env, RESET_WAIT_MS, ret_result, err);
}

/* Journals whose creators died before they were published are empty. */
static void remove_unfinished(const struct session_env *env)
{
	int fd = openat(env->journals, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	while (dir) {
		struct dirent *entry = readdir(dir);
		size_t len = entry ? strlen(entry->d_name) : 0;
		struct stat st;

		if (!entry)
			break;
		if (len != SESSION_ID_SIZE + 3 || !str_eq(entry->d_name + len - 4, ".new"))
			continue;
		if (fstatat(env->journals, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_mtime + UNFINISHED_AGE < time(NULL))
			unlinkat(env->journals, entry->d_name, 0);
	}
}

int session_reset_left(const struct session_env *env, struct fathom_err *err)
{
	_cleanup_session_list_ struct session_list list = { 0 };
	int r = session_list_read(env, &list, err), done = 0, failed = 0;

	if (r < 0)
		return r;
	remove_unfinished(env);
	for (size_t i = 0; i < list.n; i++) {
		struct restore_result result;

		if (list.list[i].state == SESSION_ALIVE || list.list[i].state == SESSION_KEPT)
			continue;
		r = session_reset(env, list.list[i].id, &result, failed ? NULL : err);
		if (r == 0)
			done += list.list[i].state == SESSION_LEFT;
		else if (r != -EBUSY && r != -ENOENT && !failed)
			failed = r;
	}
	return done || !failed ? done : failed;
}

struct each_arg {
	const char *own;
	session_see_fn see;
	void *arg;
};

static int see_journal(const struct session_env *env, const char *id, void *arg)
{
	const struct each_arg *each = arg;
	_cleanup_journal_ struct journal journal = JOURNAL_NONE;
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	_cleanup_records_ struct records records = { 0 };
	int r;

	if (each->own && str_eq(id, each->own))
		return 0;
	r = journal_open(env->journals, id, JOURNAL_LOOK, &journal, NULL);
	if (r == 0)
		r = journal_load(&journal, &bytes, &records, NULL);
	/* A journal that was removed, or cannot be read, has no records. */
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	if (records.n == 0 || !str_eq(records.list[0].field[BEGIN_BOOT], env->boot_id))
		return 0;
	for (size_t i = 0; r == 0 && i < records.n; i++)
		if (!records.list[i].is_void)
			r = each->see(&records.list[0], &records.list[i], each->arg);
	return r;
}

int session_each_record(const struct session_env *env, const char *own, session_see_fn see,
			void *arg)
{
	struct each_arg each = { .own = own, .see = see, .arg = arg };

	return each_journal(env, see_journal, &each);
}

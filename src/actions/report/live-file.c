/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/report/live-file.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/quote.h"
#include "base/strbuf.h"
#include "record/session/session-list.h"
#include "record/session/session-output.h"

/*
 * Finds the files of current recordings. Returns their number; all are in @names, the last in
 * @path.
 */
static int find_files(const struct session_env *env, const struct session_list *list, char **path,
		      struct strbuf *names)
{
	int n = 0;

	for (size_t i = 0; i < list->n; i++) {
		char *file = NULL;
		int r;

		if (list->list[i].state != SESSION_ALIVE || !list->list[i].pid)
			continue;
		r = session_output(env->root, list->list[i].pid, &file);
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			continue;
		quote_addf(names, "%s'%s'", n++ ? ", " : "", file);
		free(*path);
		*path = file;
	}
	return names->err ? -ENOMEM : n;
}

int live_file_find(char **ret_path, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_list_ struct session_list list = { 0 };
	_cleanup_strbuf_ struct strbuf names = { 0 };
	_cleanup_free_ char *path = NULL;
	int r = session_env_open("", &env, err);

	if (r == 0)
		r = session_list_read(&env, &list, err);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return err_prefix(err, "no file given: use 'fathom tui --live FILE'"), r;
	r = find_files(&env, &list, &path, &names);
	if (r < 0)
		return err_nomem(err);
	if (r == 0)
		return err_set(
			err, -ENOENT,
			"no recording in progress: start one with 'fathom record -e sched &'");
	if (r > 1)
		return err_set(
			err, -EINVAL,
			"ambiguous: %d recordings in progress; use 'fathom tui --live FILE': %.300s",
			r, strbuf_str(&names));
	*ret_path = TAKE_PTR(path);
	return 0;
}

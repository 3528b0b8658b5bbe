/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/why/why-watch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/quote.h"
#include "kernel/events/functions.h"
#include "record/probes/probe-make.h"
#include "record/session/session-env.h"

static int read_both(const char *rules, struct meanings **ret_meanings,
		     struct functions *ret_functions, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	int r = why_read_meanings(rules, ret_meanings, err);

	if (r == 0)
		r = session_env_open("", &env, err);
	return r < 0 ? r : functions_read(env.tracefs.fd, false, ret_functions, err);
}

/* One line covers all functions of the same name. */
static bool why_watch_is_repeated(const struct functions *functions, size_t i)
{
	return i && strcmp(functions->list[i - 1].name, functions->list[i].name) == 0;
}

int why_leave_out(const struct why_args *args, struct plan *plan, struct fathom_err *err)
{
	_cleanup_(meanings_free_p) struct meanings *meanings = NULL;
	_cleanup_(functions_done) struct functions functions = { 0 };
	int r = read_both(args->rules, &meanings, &functions, err);

	for (size_t i = 0; r == 0 && i < functions.n; i++) {
		const char *name = functions.list[i].name;

		if (why_watch_is_repeated(&functions, i) || !meanings_is_silent(meanings, name))
			continue;
		name = arena_strdup(&plan->arena, name);
		if (!name || plan_words_add(&plan->buffers[0].untraced, name) < 0)
			return err_nomem(err);
	}
	return r;
}

bool why_has_user_stacks(void)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;

	return session_env_open("", &env, NULL) == 0 &&
	       faccessat(env.tracefs.fd, "options/userstacktrace", F_OK, 0) == 0;
}

bool why_has_types(void)
{
	return access(PROBE_BTF_DIR "/vmlinux", R_OK) == 0;
}

int why_watched(const struct why_args *args, struct strbuf *ret_functions, struct fathom_err *err)
{
	_cleanup_(meanings_free_p) struct meanings *meanings = NULL;
	_cleanup_(functions_done) struct functions functions = { 0 };
	int r = read_both(args->rules, &meanings, &functions, err);
	size_t n = 0;

	if (r < 0)
		return r;
	for (size_t i = 0; i < functions.n; i++) {
		const char *name = functions.list[i].name;

		if (why_watch_is_repeated(&functions, i) || !meanings_is_watched(meanings, name))
			continue;
		quote_addf(ret_functions, "%s%s\n",
			   meanings_is_answer(meanings, name) ? WHY_ANSWERS : "", name);
		n++;
	}
	if (ret_functions->err)
		return err_nomem(err);
	if (n > WHY_FUNCTIONS_MAX)
		return err_set(
			err, -E2BIG,
			"too many kernel functions match the 'watch:' rules: %zu, expected at "
			"most %d",
			n, WHY_FUNCTIONS_MAX);
	return n ? 0 :
		   err_set(err, -ENOENT,
			   "no kernel function matches the 'watch:' rules: run without --once");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/why-watch.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "kernel/functions.h"
#include "record/session-env.h"

int why_watched(const struct why_args *args, struct strbuf *ret_functions, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_(meanings_free_p) struct meanings *meanings = NULL;
	_cleanup_(functions_done) struct functions functions = { 0 };
	int r = why_read_meanings(args->rules, &meanings, err);
	size_t n = 0;

	if (r < 0)
		return r;
	r = session_env_open("", &env, err);
	if (r == 0)
		r = functions_read(env.tracefs.fd, false, &functions, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < functions.n; i++) {
		const char *name = functions.list[i].name;

		/* Of several with one name one line is enough. */
		if ((i && strcmp(functions.list[i - 1].name, name) == 0) ||
		    !meanings_is_watched(meanings, name))
			continue;
		strbuf_addf(ret_functions, "%s\n", name);
		n++;
	}
	if (ret_functions->err)
		return err_nomem(err);
	if (n > WHY_FUNCTIONS_MAX)
		return err_set(err, -E2BIG,
			       "the rules name %zu functions of this kernel with 'watch:', and "
			       "more than %d make a command too slow",
			       n, WHY_FUNCTIONS_MAX);
	return n ? 0 :
		   err_set(err, -ENOENT,
			   "this kernel has none of the functions that the rules name with 'watch:'; "
			   "run without --once");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom recover: finish a recording whose recorder was killed. */
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/kit/commands.h"
#include "process/sandbox.h"
#include "record/file/recover.h"

static const struct option_def options[] = { OPT_END };

static int recover(const struct action *action, int fd, const char *path)
{
	struct fathom_err err = { 0 };
	struct trace_out_result result;

	if (recording_recover(fd, path, &result, &err) < 0)
		return action_failed(action, &err);
	out_printf(action->out, OUT_PLAIN, "finished '%s': %.1f MB\n", path,
		   (double)result.size / 1e6);
	return EXIT_OK;
}

/* All files are opened before the first is read, because the sandbox forbids opening files. */
static int cmd_recover_run(const struct action *action)
{
	char name[] = "trace.dat", *usual[] = { name };
	char **paths = action->argc ? action->argv : usual;
	int n = action->argc ?: 1, code = EXIT_OK;
	_cleanup_free_ int *fds = mem_zalloc((size_t)n, sizeof(*fds));
	struct fathom_err err = { 0 };

	if (!fds)
		return action_failed(action, (err_nomem(&err), &err));
	for (int i = 0; i < n; i++) {
		fds[i] = recording_open_left(paths[i], &err);
		if (fds[i] < 0)
			code = action_failed(action, &err);
	}
	if (sandbox_enter_finishing(&err) < 0)
		return action_failed(action, &err);
	for (int i = 0; i < n; i++) {
		if (fds[i] < 0)
			continue;
		if (recover(action, fds[i], paths[i]) != EXIT_OK)
			code = EXIT_FAILED;
		close(fds[i]);
	}
	return code;
}

const struct command command_recover = {
	.name = "recover",
	.summary = "finish a recording whose recorder was killed",
	.description =
		"Finishes a recording in place: removes its holes and marks it as complete for "
		"every reader. No data that reached the file is lost. An unfinished recording "
		"can also be read as it is.",
	.operands = "[FILE...]",
	.options = options,
	.run = cmd_recover_run,
};

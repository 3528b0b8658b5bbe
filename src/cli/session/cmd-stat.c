/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom stat: show the kernel's current tracing settings. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdlib.h>

#include "actions/session/session-use.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/session/session-options.h"
#include "record/session/status.h"
#include "render/machine/status.h"

struct stat_args {
	struct session_args session; /* must be first */
	bool options;
	bool json, csv;
};

static const struct option_def options[] = {
	OPT_STRING(0, "session", "ID", struct session_args, session,
		   "only this session, see 'fathom ps'"),
	OPT_CALL('B', "buffer", "BUFFER", session_arg_buffer,
		 "only this instance; can be repeated"),
	OPT_FLAG('t', NULL, struct session_args, main, "the top-level buffer, in addition to -B"),
	OPT_FLAG('o', NULL, struct stat_args, options,
		 "show all trace options; the prefix 'no' means disabled"),
	OPT_FLAG(0, "json", struct stat_args, json, "print JSON"),
	OPT_FLAG(0, "csv", struct stat_args, csv, "print the buffers as comma-separated values"),
	OPT_END,
};

static bool cmd_stat_is_named(const struct session_args *args, const struct status_buffer *buffer)
{
	for (size_t i = 0; i < args->buffers.n; i++)
		if (*buffer->state->name && str_eq(args->buffers.list[i], buffer->state->name))
			return true;
	return args->main && !*buffer->state->name;
}

/* Selects the buffers to show; an error if none matches. */
static int cmd_stat_choose(const struct session_args *args, const struct status *status,
			   bool *shown, struct fathom_err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < status->n; i++) {
		const struct status_buffer *buffer = &status->buffers[i];

		if (args->session)
			shown[i] = buffer->session && str_eq(buffer->session->id, args->session);
		else
			shown[i] = true;
		if (args->buffers.n || args->main)
			shown[i] = shown[i] && cmd_stat_is_named(args, buffer);
		n += shown[i];
	}
	if (n)
		return 0;
	if (args->buffers.n)
		return err_set(err, -ENOENT, "no instance '%s'%s", args->buffers.list[0],
			       args->session ? " in that session" : "");
	return err_set(err, -ENOENT, "no session '%s' with buffers; see 'fathom ps'",
		       args->session);
}

static int cmd_stat_show(const struct action *action, struct fathom_err *err)
{
	const struct stat_args *args = action->args;
	_cleanup_status_ struct status status = { .env = SESSION_ENV_NONE };
	_cleanup_free_ bool *shown = NULL;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct status_view view = { .whole = !args->session.session && !args->session.buffers.n };
	int r = status_read("", args->options, &status, err);

	if (r < 0)
		return r;
	view.shown = shown = mem_zalloc(status.n ? status.n : 1, sizeof(*shown));
	if (!shown)
		return err_nomem(err);
	r = cmd_stat_choose(&args->session, &status, shown, err);
	if (r < 0)
		return r;
	view.csv = args->csv;
	if (!args->json && !args->csv) {
		status_print(&status, &view, action->out);
		return 0;
	}
	status_json(&status, &view, &text);
	return out_write(action->out, &text) < 0 ? err_nomem(err) : 0;
}

static int cmd_stat_run(const struct action *action)
{
	const struct stat_args *args = action->args;
	struct fathom_err err = { 0 };

	if (action_takes_no_operands(action, &err) < 0 ||
	    action_one_format(args->json, args->csv, &err) < 0)
		return action_usage_error(action, &err);
	if (cmd_stat_show(action, &err) < 0)
		return action_failed(action, &err);
	return EXIT_OK;
}

const struct command command_stat = {
	.name = "stat",
	.alias = "status",
	.summary = "show the kernel's current tracing settings",
	.description =
		"Shows the tracing settings of the top level and of every instance, no matter "
		"who set them: tracer, events with filters and triggers, functions, sizes and "
		"clocks, and the session they belong to. 'fathom status' is an alias.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct stat_args),
	.paged = true,
	.run = cmd_stat_run,
	.done = session_args_done,
};

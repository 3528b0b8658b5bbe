/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom stat: what is set in the kernel's tracing now. */
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
	struct session_args session; /* first */
	bool options;
	bool json;
};

static const struct option_def options[] = {
	OPT_STRING(0, "session", "ID", struct session_args, session,
		   "only what this session has, as 'fathom ps' lists it"),
	OPT_CALL('B', NULL, "BUFFER", session_arg_buffer,
		 "only this instance; may be given several times"),
	OPT_FLAG('t', NULL, struct session_args, main, "the top level, also with -B"),
	OPT_FLAG('o', NULL, struct stat_args, options,
		 "show all trace options; those with 'no' in front are off"),
	OPT_FLAG(0, "json", struct stat_args, json, "print the result as JSON"),
	OPT_END,
};

static bool cmd_stat_is_named(const struct session_args *args, const struct status_buffer *buffer)
{
	for (size_t i = 0; i < args->buffers.n; i++)
		if (*buffer->state->name && str_eq(args->buffers.list[i], buffer->state->name))
			return true;
	return args->main && !*buffer->state->name;
}

/* Which buffers are shown; an error when there is none that is meant. */
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
		return err_set(err, -ENOENT, "there is no instance '%s'%s", args->buffers.list[0],
			       args->session ? " of that session" : "");
	return err_set(err, -ENOENT,
		       "there is no session '%s' with buffers; 'fathom ps' lists them",
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
	if (!args->json) {
		status_print(&status, &view, action->out);
		return 0;
	}
	status_json(&status, &view, &text);
	return out_write(action->out, &text) < 0 ? err_nomem(err) : 0;
}

static int cmd_stat_run(const struct action *action)
{
	struct fathom_err err = { 0 };

	if (action->argc) {
		err_set(&err, -EINVAL, "'%s' is too much: there are no operands", action->argv[0]);
		return action_usage_error(action, &err);
	}
	if (cmd_stat_show(action, &err) < 0)
		return action_failed(action, &err);
	return EXIT_OK;
}

const struct command command_stat = {
	.name = "stat",
	.alias = "status",
	.summary = "show what is set in the kernel's tracing",
	.description =
		"Shows what is set in the kernel's tracing now, by whoever: the tracer, "
		"events with their filters and triggers, functions, sizes and clocks, of the "
		"top level and of every instance, and to which session it belongs. It can "
		"also be called 'fathom status'.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct stat_args),
	.paged = true,
	.run = cmd_stat_run,
	.done = session_args_done,
};

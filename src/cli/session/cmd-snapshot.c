/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom snapshot: puts the buffers of a kept session aside while tracing goes on. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "actions/session/session-use.h"
#include "actions/session/show-file.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "cli/session/session-options.h"

#define PATH_SIZE 64

struct snapshot_args {
	struct session_args session; /* first */
	bool take, clear, free;
	const char *cpu;
};

static const struct option_def options[] = {
	SESSION_OPTION,
	OPT_CALL('B', NULL, "BUFFER", session_arg_buffer, "of this buffer; the main one otherwise"),
	OPT_FLAG('s', NULL, struct snapshot_args, take, "take a snapshot"),
	OPT_FLAG('r', NULL, struct snapshot_args, clear, "empty the snapshot"),
	OPT_FLAG('f', NULL, struct snapshot_args, free, "give the memory of the snapshot back"),
	OPT_STRING('c', NULL, "CPU", struct snapshot_args, cpu, "of this CPU only"),
	OPT_END,
};

static int cmd_snapshot_change(const struct snapshot_args *args, struct fathom_err *err)
{
	_cleanup_session_use_ struct session_use use = { 0 };
	const char *value = args->take ? "1" : args->clear ? "2" : "0";
	struct session_args chosen = args->session;
	char file[PATH_SIZE] = "snapshot";
	int r;

	chosen.main = !chosen.buffers.n;
	r = session_use_open(&chosen, &use, err);
	if (r < 0)
		return r;
	if (args->cpu)
		snprintf(file, sizeof(file), "per_cpu/cpu%.20s/snapshot", args->cpu);
	if (faccessat(use.places[0]->fd, file, F_OK, 0) < 0)
		return err_set(err, -EOPNOTSUPP, "this kernel has no '%s'", file);
	r = session_set(use.session, use.places[0], file, value, err);
	if (r == -EBUSY)
		return err_set(err, r,
			       "the kernel cannot take a snapshot now: a tracer that keeps the "
			       "worst case, or a program that maps the buffer, has it");
	return r;
}

static int cmd_snapshot_show(const struct snapshot_args *args, struct out *out,
			     struct fathom_err *err)
{
	_cleanup_(show_place_done) struct show_place place = { .env = SESSION_ENV_NONE, .fd = -1 };
	int r = show_place_open(&args->session, false, &place, err);

	if (r < 0)
		return r;
	return show_place_print(&place, "snapshot", &(struct show_how){ .cpu = args->cpu }, out,
				err);
}

static int cmd_snapshot_check(const struct snapshot_args *args, struct fathom_err *err)
{
	if (args->take + args->clear + args->free > 1)
		return err_set(err, -EINVAL, "choose one of -s, -r and -f");
	if (args->cpu && args->free)
		return err_set(err, -EINVAL,
			       "the memory of one CPU cannot be given back; use -f without -c");
	if (args->session.buffers.n > 1)
		return err_set(err, -EINVAL, "one buffer at a time");
	return show_cpu_check(args->cpu, err);
}

static int cmd_snapshot_run(const struct action *action)
{
	struct snapshot_args *args = action->args;
	struct fathom_err err = { 0 };
	int r;

	if (action->argc)
		err_set(&err, -EINVAL, "'%s' is too much: there are no operands", action->argv[0]);
	if (err.code || cmd_snapshot_check(args, &err) < 0)
		return action_usage_error(action, &err);
	if (args->take || args->clear || args->free)
		r = cmd_snapshot_change(args, &err);
	else
		r = cmd_snapshot_show(args, action->out, &err);
	return r < 0 ? action_failed(action, &err) : EXIT_OK;
}

const struct command command_snapshot = {
	.name = "snapshot",
	.summary = "put the buffers aside while tracing goes on",
	.description =
		"Takes a snapshot of the buffer of the session that is kept, without stopping it: what "
		"is in the buffer is put aside, and tracing goes on in another. Without -s, -r and -f "
		"the snapshot is shown.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct snapshot_args),
	.run = cmd_snapshot_run,
	.done = session_args_done,
};

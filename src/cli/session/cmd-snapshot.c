/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom snapshot: save the buffer contents while tracing continues. */
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
	struct session_args session; /* must be first */
	bool take, clear, free;
	const char *cpu;
};

static const struct option_def options[] = {
	SESSION_OPTION,
	OPT_CALL('B', "buffer", "BUFFER", session_arg_buffer,
		 "use this buffer (default: the main one)"),
	OPT_FLAG('s', NULL, struct snapshot_args, take, "take a snapshot"),
	OPT_FLAG('r', NULL, struct snapshot_args, clear, "empty the snapshot"),
	OPT_FLAG('f', NULL, struct snapshot_args, free, "free the snapshot buffer"),
	OPT_STRING('c', NULL, "CPU", struct snapshot_args, cpu, "only this CPU"),
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
		return err_set(err, -EOPNOTSUPP, "unsupported: this kernel has no '%s'", file);
	r = session_set(use.session, use.places[0], file, value, err);
	if (r == -EBUSY)
		return err_set(err, r,
			       "snapshot buffer is busy: in use by a latency tracer, or the "
			       "buffer is mapped");
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
		return err_set(err, -EINVAL, "-s, -r and -f are mutually exclusive");
	if (args->cpu && args->free)
		return err_set(err, -EINVAL,
			       "-f cannot be combined with -c: only the whole snapshot can be "
			       "freed");
	if (args->session.buffers.n > 1)
		return err_set(err, -EINVAL, "too many buffers: expected one -B");
	return show_cpu_check(args->cpu, err);
}

static int cmd_snapshot_run(const struct action *action)
{
	struct snapshot_args *args = action->args;
	struct fathom_err err = { 0 };
	int r;

	if (action_takes_no_operands(action, &err) < 0 || cmd_snapshot_check(args, &err) < 0)
		return action_usage_error(action, &err);
	if (args->take || args->clear || args->free)
		r = cmd_snapshot_change(args, &err);
	else
		r = cmd_snapshot_show(args, action->out, &err);
	return r < 0 ? action_failed(action, &err) : EXIT_OK;
}

const struct command command_snapshot = {
	.name = "snapshot",
	.summary = "save the buffer contents while tracing continues",
	.description =
		"Takes a snapshot of a detached session's buffer: its contents are saved, and "
		"tracing continues in a spare buffer. Without -s, -r and -f, the snapshot is "
		"printed.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct snapshot_args),
	.run = cmd_snapshot_run,
	.done = session_args_done,
};

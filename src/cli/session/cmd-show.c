/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom show: print a session's buffer as the kernel formats it. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "actions/session/show-file.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "cli/session/session-options.h"

struct show_args {
	struct session_args session; /* must be first */
	bool pipe, snapshot, path, top, live;
	const char *cpu;
	/* show these settings instead of the buffer */
	bool tracing_on, current_tracer, buffer_size, buffer_total_size, ftrace_filter,
		ftrace_notrace, ftrace_pid, graph_function, graph_notrace, cpumask;
};

#define FILE_FLAG(name, text) OPT_FLAG(0, #name, struct show_args, name, text)

static const struct option_def options[] = {
	OPT_GROUP("What to show"),
	SESSION_OPTION,
	OPT_CALL('B', "buffer", "BUFFER", session_arg_buffer,
		 "this buffer of the session; without a session, this instance"),
	OPT_FLAG(0, "top", struct show_args, top, "use the top-level buffer instead of a session"),
	OPT_STRING('c', NULL, "CPU", struct show_args, cpu, "only this CPU"),
	OPT_FLAG('p', NULL, struct show_args, pipe,
		 "follow new events (trace_pipe) and remove them from the buffer"),
	OPT_FLAG('s', NULL, struct show_args, snapshot, "print the snapshot"),
	OPT_FLAG(0, "live", struct show_args, live, "don't pause tracing while reading"),
	OPT_FLAG('f', NULL, struct show_args, path, "print the path of the file first"),
	OPT_GROUP("Settings instead of the buffer"),
	FILE_FLAG(tracing_on, "show whether tracing is enabled"),
	FILE_FLAG(current_tracer, "show the tracer"),
	FILE_FLAG(buffer_size, "show the buffer size per CPU, in KB"),
	FILE_FLAG(buffer_total_size, "show the total buffer size, in KB"),
	FILE_FLAG(ftrace_filter, "show the function filter"),
	FILE_FLAG(ftrace_notrace, "show the excluded functions"),
	FILE_FLAG(ftrace_pid, "show the PIDs for function tracing"),
	FILE_FLAG(graph_function, "show the functions to graph"),
	FILE_FLAG(graph_notrace, "show the functions excluded from the graph"),
	FILE_FLAG(cpumask, "show the mask of traced CPUs"),
	OPT_GROUP("Output"),
	OPT_END,
};

/* The selected settings. Files that instances do not have are read at the top level. */
static int cmd_show_print_settings(const struct show_args *args, const struct show_place *place,
				   struct out *out, struct fathom_err *err)
{
	const struct {
		bool wanted;
		const char *file;
	} files[] = {
		{ args->tracing_on, "tracing_on" },
		{ args->current_tracer, "current_tracer" },
		{ args->buffer_size, "buffer_size_kb" },
		{ args->buffer_total_size, "buffer_total_size_kb" },
		{ args->ftrace_filter, "set_ftrace_filter" },
		{ args->ftrace_notrace, "set_ftrace_notrace" },
		{ args->ftrace_pid, "set_ftrace_pid" },
		{ args->graph_function, "set_graph_function" },
		{ args->graph_notrace, "set_graph_notrace" },
		{ args->cpumask, "tracing_cpumask" },
	};
	const struct show_place top = { .env = place->env, .fd = place->env.tracefs.fd };
	const struct show_how how = { .path = args->path };
	int n = 0, r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files) && r == 0; i++) {
		bool here = faccessat(place->fd, files[i].file, F_OK, 0) == 0;

		if (!files[i].wanted)
			continue;
		n++;
		r = show_place_print(here ? place : &top, files[i].file, &how, out, err);
	}
	return r < 0 ? r : n;
}

static int cmd_show(const struct show_args *args, struct out *out, struct fathom_err *err)
{
	_cleanup_(show_place_done) struct show_place place = { .env = SESSION_ENV_NONE, .fd = -1 };
	const char *file = args->pipe ? "trace_pipe" : args->snapshot ? "snapshot" : "trace";
	int r = show_place_open(&args->session, args->top, &place, err);

	if (r == 0)
		r = cmd_show_print_settings(args, &place, out, err);
	if (r != 0)
		return r;
	return show_place_print(&place, file,
				&(struct show_how){ .cpu = args->cpu,
						    .path = args->path,
						    .pause = !args->pipe && !args->snapshot &&
							     !args->live },
				out, err);
}

static int cmd_show_check(const struct show_args *args, struct fathom_err *err)
{
	if (args->pipe && args->snapshot)
		return err_set(err, -EINVAL, "-p and -s are mutually exclusive");
	if (args->session.buffers.n > 1)
		return err_set(err, -EINVAL, "too many buffers: expected one -B");
	return show_cpu_check(args->cpu, err);
}

static int cmd_show_run(const struct action *action)
{
	const struct show_args *args = action->args;
	struct fathom_err err = { 0 };

	if (action_takes_no_operands(action, &err) < 0 || cmd_show_check(args, &err) < 0)
		return action_usage_error(action, &err);
	/* If the reader of a pipe is gone, writing fails instead. */
	signal(SIGPIPE, SIG_IGN);
	if (cmd_show(args, action->out, &err) < 0)
		return action_failed(action, &err);
	return EXIT_OK;
}

const struct command command_show = {
	.name = "show",
	.summary = "print a session's buffer as the kernel formats it",
	.description = "Prints the buffer of a detached session as the kernel formats it; "
		       "without a session, the top-level buffer.",
	.operands = "",
	.options = options,
	.args_size = sizeof(struct show_args),
	.run = cmd_show_run,
	.done = session_args_done,
};

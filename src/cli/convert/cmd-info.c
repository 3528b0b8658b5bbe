/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom info: describe a trace file and check it for damage. */
#include "cli/kit/commands.h"

#include <stdio.h>

#include "actions/input/damage.h"
#include "actions/input/reading.h"
#include "actions/input/trace-input.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "process/sandbox.h"
#include "read/trace.h"
#include "render/machine/trace-info.h"

struct info_args {
	bool count, formats, sections, json, csv;
};

#define FLAG(letter, name, field, text) OPT_FLAG(letter, name, struct info_args, field, text)

static const struct option_def options[] = {
	FLAG('c', "count", count, "read all events and count them by kind, CPU and buffer"),
	FLAG(0, "formats", formats, "check all event formats and list unusable ones"),
	FLAG(0, "sections", sections, "list sections and options of the file"),
	FLAG(0, "json", json, "print JSON"),
	FLAG(0, "csv", csv, "with --count, print the counts as comma-separated values"),
	OPT_END,
};

static int cmd_info_show(const struct action *action, const char *path, struct fathom_err *err)
{
	const struct info_args *args = action->args;
	unsigned what = (args->count ? TRACE_INFO_COUNT : 0) |
			(args->formats ? TRACE_INFO_FORMATS : 0) |
			(args->sections ? TRACE_INFO_SECTIONS : 0);
	_cleanup_(fathom_trace_free_p) struct fathom_trace *trace = NULL;
	struct trace_info *info;
	_cleanup_close_ int fd = trace_input_open(path, err);
	int r;

	if (fd < 0)
		return fd;
	r = sandbox_enter(err);
	if (r < 0)
		return r;
	r = trace_input_read(TAKE_FD(fd), path, 0, &trace, err);
	if (r < 0)
		return r;
	r = trace_info_new(trace, path, what, &info, err);
	reading_finish();
	if (r < 0)
		return r;
	r = args->json || args->csv ? trace_info_print_json(info, args->csv, action->out->stream) :
				      trace_info_print(info, action->out);
	trace_info_free(info);
	if (r < 0)
		return err_nomem(err);
	r = reading_report(action, trace, false);
	if (damage_report(action, trace, path, true) && r == EXIT_OK)
		r = EXIT_DAMAGED;
	return r;
}

static int cmd_info_run(const struct action *action)
{
	const struct info_args *args = action->args;
	struct fathom_err err = { 0 };
	int r;

	if (action->argc > 1)
		err_set(&err, -EINVAL, "too many arguments: expected one file");
	else if (args->csv && !args->count)
		err_set(&err, -EINVAL, "--csv requires --count");
	else
		action_one_format(args->json, args->csv, &err);
	if (err.code)
		return action_usage_error(action, &err);
	reading_begin(action, 0);
	r = cmd_info_show(action, action->argc ? action->argv[0] : "trace.dat", &err);
	if (r < 0)
		r = reading_failed(action, &err);
	reading_end();
	return r;
}

const struct command command_info = {
	.name = "info",
	.summary = "describe a trace file and check it for damage",
	.description = "Shows on which machine and when a trace file was recorded, its contents by "
		       "buffer and CPU, the number of lost events, and damage.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct info_args),
	.paged = true,
	.run = cmd_info_run,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom export: convert for Perfetto, Firefox Profiler and others. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "actions/convert/export-run.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/report/report-options.h"

_Static_assert(offsetof(struct export_args, report) == 0,
	       "the options of report are part of our table");

static const struct option_def options[] = {
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	REPORT_COUNT_OPTIONS,
	OPT_GROUP("Output"),
	{ .kind = OPTION_STRING,
	  .letter = 'f',
	  .name = "format",
	  .arg = "FORMAT",
	  .choices = EXPORT_NAMES,
	  .offset = offsetof(struct export_args, format),
	  .help = "output format, see --list (default: by the suffix of OUT, or perfetto)" },
	OPT_STRING('o', "output", "OUT", struct export_args, output,
		   "output file or directory, - for standard output (default: FILE with the suffix "
		   "of the format)"),
	OPT_MODE(struct export_args, mode),
	OPT_FLAG('l', "list", struct export_args, list, "list formats"),
	OPT_FLAG('q', "quiet", struct report_args, quiet, "don't report lost events and damage"),
	OPT_END,
};

static int list_outputs(struct out *out)
{
	for (size_t i = 0; export_outputs[i]; i++) {
		out_printf(out, OUT_NAME, "%-10s", export_outputs[i]->name);
		out_printf(out, OUT_PLAIN, "  %-9s  %s\n", export_outputs[i]->suffix,
			   export_outputs[i]->summary);
	}
	return EXIT_OK;
}

static const struct export_output *cmd_export_choose(const struct export_args *args,
						     struct fathom_err *err)
{
	const struct export_output *output;
	struct nearest nearest = { .wanted = args->format };
	const char *meant;

	if (!args->format) {
		output = args->output ? export_find_suffix(args->output) : NULL;
		if (output || !args->output || str_eq(args->output, "-"))
			return output ?: &export_perfetto;
		err_set(err, -EINVAL, "unknown suffix of '%s': use -f to select a format",
			args->output);
		return NULL;
	}
	output = export_find(args->format);
	if (output)
		return output;
	for (size_t i = 0; export_outputs[i]; i++)
		nearest_offer(&nearest, export_outputs[i]->name);
	meant = nearest_pick(&nearest);
	if (meant)
		err_set(err, -EINVAL, "no format '%s'; did you mean '%s'?", args->format, meant);
	else
		err_set(err, -EINVAL, "no format '%s'; 'fathom export -l' lists them",
			args->format);
	return NULL;
}

/* "trace.dat" -> "trace.pftrace" */
static char *default_name(const char *in, const struct export_output *output)
{
	size_t len = strlen(in);

	if (len > 4 && str_eq(in + len - 4, ".dat"))
		len -= 4;
	return mem_printf("%.*s%s", (int)len, in, output->suffix);
}

static int cmd_export_run(const struct action *action)
{
	struct export_args *args = action->args;
	const char *in = action->argc ? action->argv[0] : "trace.dat";
	const struct export_output *output = NULL;
	_cleanup_free_ char *name = NULL;
	struct fathom_err err = { 0 };

	if (args->list)
		return list_outputs(action->out);
	if (action->argc > 1)
		err_set(&err, -EINVAL, "too many arguments: expected one file");
	else
		output = cmd_export_choose(args, &err);
	if (!output)
		return action_usage_error(action, &err);
	if (!args->output) {
		name = default_name(in, output);
		if (!name) {
			err_nomem(&err);
			return action_failed(action, &err);
		}
		if (str_eq(name, in)) {
			err_set(&err, -EINVAL, "output would overwrite '%s': use -o OUT", in);
			return action_usage_error(action, &err);
		}
	}
	return export_to(action, args, output, in, args->output ?: name);
}

const struct command command_export = {
	.name = "export",
	.summary = "convert for Perfetto, Firefox Profiler and others",
	.description =
		"Writes the events of a trace file, or of a time range, in a format of another "
		"program: Perfetto, the Firefox Profiler, speedscope, pprof, Trace Compass, "
		"KernelShark and others.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct export_args),
	.run = cmd_export_run,
};

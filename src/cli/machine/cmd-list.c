/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom list: list functions, events, tracers, clocks and probes. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <fcntl.h>

#include "actions/machine/list.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "kernel/tracefs/tracefs.h"

/* trace-cmd has a letter for each list; they are mutually exclusive. */
static int cmd_list_choose(struct list_args *args, const char *kind, struct fathom_err *err)
{
	const struct list_kind *found = list_kind_find(kind);

	if (args->kind && args->kind != found)
		return err_set(err, -EINVAL, "%s and %s are mutually exclusive", args->kind->name,
			       found->name);
	args->kind = found;
	return 0;
}

static int choose_events(void *args, const char *value, struct fathom_err *err)
{
	return cmd_list_choose(args, "events", err);
}

static int choose_functions(void *args, const char *value, struct fathom_err *err)
{
	return cmd_list_choose(args, "functions", err);
}

static int choose_tracers(void *args, const char *value, struct fathom_err *err)
{
	return cmd_list_choose(args, "tracers", err);
}

static int choose_options(void *args, const char *value, struct fathom_err *err)
{
	return cmd_list_choose(args, "options", err);
}

static int choose_clocks(void *args, const char *value, struct fathom_err *err)
{
	return cmd_list_choose(args, "clocks", err);
}

static int choose_instances(void *args, const char *value, struct fathom_err *err)
{
	return cmd_list_choose(args, "instances", err);
}

static const struct option_def options[] = {
	OPT_GROUP("What to list"),
	OPT_STRING('m', "module", "MODULE", struct list_args, module,
		   "list only functions of MODULE, a name or a glob; vmlinux is the kernel itself"),
	OPT_STRING(0, "usdt", "PROGRAM", struct list_args, usdt,
		   "list the static markers (USDT) of PROGRAM, a path or the name of a library"),
	OPT_FLAG(0, "regex", struct list_args, regex,
		 "treat patterns as extended regular expressions"),
	OPT_FLAG('i', "ignore-case", struct list_args, icase, "ignore case"),
	OPT_GROUP("Lists of trace-cmd"),
	OPT_CALL('e', NULL, NULL, choose_events,
		 "list events; patterns are regular expressions, as in 'trace-cmd list -e'"),
	OPT_FLAG('F', NULL, struct list_args, verbose, "with -e, same as -v"),
	OPT_CALL('f', NULL, NULL, choose_functions,
		 "list functions without prototypes; patterns are regular expressions, as in "
		 "'trace-cmd list -f'"),
	OPT_CALL('p', NULL, NULL, choose_tracers, "list tracers"),
	OPT_CALL('t', NULL, NULL, choose_tracers, "list tracers"),
	OPT_CALL('o', NULL, NULL, choose_options, "list options"),
	OPT_CALL('C', NULL, NULL, choose_clocks, "list clocks"),
	OPT_CALL('B', NULL, NULL, choose_instances, "list instances"),
	OPT_GROUP("Output"),
	OPT_FLAG('v', "verbose", struct list_args, verbose,
		 "show the fields and print format of events, and the addresses of functions"),
	OPT_FLAG(0, "names", struct list_args, names, "print only the names, one per line"),
	OPT_FLAG(0, "json", struct list_args, json, "print JSON"),
	OPT_FLAG(0, "csv", struct list_args, csv, "print comma-separated values"),
	OPT_END,
};

static int cmd_list_run(const struct action *action)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;
	_cleanup_close_ int btf = open("/sys/kernel/btf", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct list_source source = { .btf = btf, .kallsyms = "/proc/kallsyms" };
	const struct list_args *args = action->args;
	struct fathom_err err = { 0 };

	if (args->usdt && (args->kind || action->argc))
		err_set(&err, -EINVAL, "--usdt cannot be combined with WHAT or another list");
	else
		action_one_format(args->json, args->csv, &err);
	if (err.code)
		return action_usage_error(action, &err);
	if (args->usdt)
		return list_markers(args, action->out, &err) < 0 ? action_failed(action, &err) :
								   EXIT_OK;
	if (tracefs_find("", &tracefs, &err) < 0)
		return action_failed(action, &err);
	if (!tracefs_readable(&tracefs)) {
		err_set(&err, -EACCES, "%s: %s", tracefs_obstacle(&tracefs),
			tracefs_advice(&tracefs));
		return action_failed(action, &err);
	}
	source.tracefs = tracefs.fd;
	source.where = tracefs.path;
	return list_run(action->args, &source, action->argc, action->argv, action->out, stderr);
}

const struct command command_list = {
	.name = "list",
	.summary = "list functions, events, tracers, clocks and probes",
	.description =
		"Lists what this kernel can trace. Without WHAT, prints the number of items of each "
		"kind. A plain word as PATTERN matches names that contain it, one with * ? or [ is a "
		"glob for the whole name, and /RE/ a regular expression.",
	.operands = "[WHAT [PATTERN...]]",
	.operand_words = "events functions tracers clocks options plugins probes instances",
	.options = options,
	.args_size = sizeof(struct list_args),
	.paged = true,
	.run = cmd_list_run,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom list: what there is to trace on this kernel. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <fcntl.h>

#include "actions/machine/list.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "kernel/tracefs/tracefs.h"

/* trace-cmd has a letter for each list; only one can be asked for at a time. */
static int cmd_list_choose(struct list_args *args, const char *kind, struct fathom_err *err)
{
	const struct list_kind *found = list_kind_find(kind);

	if (args->kind && args->kind != found)
		return err_set(err, -EINVAL, "only one list at a time: '%s' or '%s'",
			       args->kind->name, found->name);
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
	OPT_FLAG('v', "verbose", struct list_args, verbose,
		 "events: show the fields and how the event is printed; functions: show addresses "
		 "where the kernel lists them"),
	OPT_FLAG('n', "names", struct list_args, names, "print the names alone, one per line"),
	OPT_FLAG(0, "json", struct list_args, json, "print JSON"),
	OPT_FLAG(0, "regex", struct list_args, regex, "patterns are extended regular expressions"),
	OPT_FLAG('i', "ignore-case", struct list_args, icase,
		 "small and capital letters are the same"),
	OPT_STRING('m', "module", "MODULE", struct list_args, module,
		   "functions: only those of this module (a name or a glob; 'vmlinux' is the "
		   "kernel itself)"),
	OPT_STRING(0, "usdt", "PROGRAM", struct list_args, usdt,
		   "the markers (USDT) of a program or library, a path or a name, with their "
		   "arguments; no WHAT"),
	OPT_CALL('e', NULL, NULL, choose_events,
		 "as 'trace-cmd list -e': events; patterns are regular expressions"),
	OPT_FLAG('F', NULL, struct list_args, verbose, "with -e: the same as -v"),
	OPT_CALL('f', NULL, NULL, choose_functions,
		 "as 'trace-cmd list -f': functions, names and modules alone; patterns are "
		 "regular expressions"),
	OPT_CALL('p', NULL, NULL, choose_tracers, "as 'trace-cmd list -p': tracers"),
	OPT_CALL('t', NULL, NULL, choose_tracers, "the same as -p"),
	OPT_CALL('o', NULL, NULL, choose_options, "as 'trace-cmd list -o': options"),
	OPT_CALL('C', NULL, NULL, choose_clocks, "as 'trace-cmd list -C': clocks"),
	OPT_CALL('B', NULL, NULL, choose_instances, "as 'trace-cmd list -B': instances"),
	OPT_END,
};

static int cmd_list_run(const struct action *action)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;
	_cleanup_close_ int btf = open("/sys/kernel/btf", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct list_source source = { .btf = btf, .kallsyms = "/proc/kallsyms" };
	const struct list_args *args = action->args;
	struct fathom_err err = { 0 };

	if (args->usdt && (args->kind || action->argc)) {
		err_set(&err, -EINVAL, "--usdt lists markers, and nothing else");
		return action_usage_error(action, &err);
	}
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
	.summary = "show what there is to trace: functions, events, tracers, ...",
	.description =
		"Without WHAT, counts everything and shows how to see more. A PATTERN that is a "
		"plain word picks every name that contains it, one with * ? or [ is a glob for "
		"the whole name, and /RE/ is a regular expression.",
	.operands = "[WHAT [PATTERN...]]",
	.operand_words = "events functions tracers clocks options plugins probes instances",
	.options = options,
	.args_size = sizeof(struct list_args),
	.paged = true,
	.run = cmd_list_run,
};

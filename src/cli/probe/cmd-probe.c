/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom probe: add, list and remove kernel and user probes. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdio.h>

#include "actions/plan/plan-args.h"
#include "actions/probe/probe-run.h"
#include "cli/plan/plan-options.h"
#include "kernel/events/dynamic-events.h"
#include "record/plan.h"
#include "record/probes/probe-make.h"
#include "render/kit/json.h"

static const struct option_def options[] = {
	OPT_FLAG(0, "dry-run", struct probe_args, dry_run,
		 "add: change nothing, print the lines for the kernel's dynamic_events file"),
	OPT_FLAG(0, "all", struct probe_args, all,
		 "del: remove all events added by 'fathom probe add'"),
	OPT_STRING(
		0, "btf", "DIR", struct probe_args, btf,
		"directory of type information: vmlinux, and a file for each module (default: " PROBE_BTF_DIR
		")"),
	OPT_STRING(0, "vmlinux", "FILE", struct probe_args, vmlinux,
		   "add: kernel image with debug information, for source lines; with --dry-run, of "
		   "any kernel"),
	OPT_CALL(0, "budget", "PERCENT", plan_arg_budget,
		 "add: maximum overhead of probes on many functions, in percent of one CPU "
		 "(default: 5)"),
	OPT_CALL(0, "yes", NULL, plan_arg_yes,
		 "add: place probes regardless of number and overhead"),
	OPT_FLAG(0, "json", struct probe_args, json, "list: print JSON"),
	OPT_FLAG(0, "csv", struct probe_args, csv, "list: print comma-separated values"),
	OPT_END,
};

static void probe_run_done(void *args)
{
	plan_args_done(&((struct probe_args *)args)->plan);
}

const struct command command_probe = {
	.name = "probe",
	.summary = "add, list and remove kernel and user probes",
	.description =
		"Turns kernel and user functions into events that record arguments by name: "
		"'fathom probe add \"k:vfs_open(path->dentry->d_name.name:string)\"' adds the event "
		"fathom:vfs_open, which remains until it is removed with 'del' or the system is shut "
		"down. 'u:/bin/app:main(arg1:s32)' is a probe in a program. To trace once, use 'fathom "
		"record -e PROBE' instead. Syntax: 'fathom help probes'.",
	.operands = "add PROBE... | list | del EVENT...",
	.operand_words = "add list del",
	.options = options,
	.args_size = sizeof(struct probe_args),
	.paged = true,
	.run = probe_run,
	.done = probe_run_done,
};

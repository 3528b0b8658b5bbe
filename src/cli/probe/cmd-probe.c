/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom probe: makes, lists and removes events of a user's own in the kernel. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdio.h>

#include "actions/plan/plan-args.h"
#include "actions/probe/probe-run.h"
#include "cli/plan/plan-options.h"
#include "kernel/events/dynamic-events.h"
#include "record/plan/plan.h"
#include "record/probes/probe-make.h"
#include "render/kit/json.h"

static const struct option_def options[] = {
	OPT_FLAG('n', "dry-run", struct probe_args, dry_run,
		 "add: change nothing, print what would be written to 'dynamic_events'"),
	OPT_FLAG(0, "all", struct probe_args, all, "del: all that 'fathom probe add' has made"),
	OPT_STRING(0, "btf", "DIR", struct probe_args, btf,
		   "take types from the files in DIR, not in " PROBE_BTF_DIR
		   "; 'vmlinux' and one for each module"),
	OPT_STRING(0, "vmlinux", "FILE", struct probe_args, vmlinux,
		   "add: the kernel's file with debug information, for lines of its source; with "
		   "--dry-run it may be of another kernel"),
	OPT_CALL(0, "budget", "PERCENT", plan_arg_budget,
		 "add: what probes at many functions may cost when they are on, in percent of a CPU; 5 by "
		 "default"),
	OPT_CALL(0, "yes", NULL, plan_arg_yes,
		 "add: make probes however many there are and whatever they cost"),
	OPT_FLAG(0, "json", struct probe_args, json, "list: print the result as JSON"),
	OPT_END,
};

static void probe_run_done(void *args)
{
	plan_args_done(&((struct probe_args *)args)->plan);
}

const struct command command_probe = {
	.name = "probe",
	.summary = "add, list and remove probes in the kernel and in programs",
	.description =
		"Makes events of functions of the kernel, with their arguments by name: "
		"'fathom probe add \"k:vfs_open(path->dentry->d_name.name:string)\"' makes the event "
		"fathom:vfs_open, which stays until it is removed with 'del' or the machine goes down. "
		"'u:/bin/app:main(arg1:s32)' is one in a program. "
		"To trace once, give the probe to 'fathom record -e' and the like instead.",
	.operands = "add PROBE... | list | del EVENT...",
	.operand_words = "add list del",
	.options = options,
	.args_size = sizeof(struct probe_args),
	.paged = true,
	.run = probe_run,
	.done = probe_run_done,
};

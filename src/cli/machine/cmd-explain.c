/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom explain: what is this name, where is it, how can it be traced, who calls it? */
#include "cli/kit/commands.h"

#include <sys/utsname.h>

#include "actions/machine/explain-run.h"

static const struct option_def options[] = {
	OPT_STRING(0, "source", "DIR", struct explain_args, source,
		   "find it in the source below DIR, which has a file 'tags'"),
	OPT_STRING(
		0, "vmlinux", "FILE", struct explain_args, vmlinux,
		"the kernel's file with debug information, which tells lines of its source; where "
		"distributions have it, it is found"),
	OPT_FLAG(0, "recorded", struct explain_args, recorded,
		 "tell only what FILE does, and nothing about the kernel that runs here"),
	OPT_FLAG('q', "quiet", struct explain_args, report.quiet,
		 "do not say what is missing in the recording"),
	OPT_FLAG(0, "json", struct explain_args, report.json, "print JSON"),
	OPT_END,
};

const struct command command_explain = {
	.name = "explain",
	.summary = "tell what a function, an event or a system call is",
	.description =
		"Shows a function's prototype, its module, all addresses of that name, whether and how "
		"it can be traced on this kernel, and where its source is; of an event and a system "
		"call the fields. With a recording also who calls it there, what it calls, and how "
		"long that takes.",
	.operands = "SYMBOL [FILE]",
	.options = options,
	.args_size = sizeof(struct explain_args),
	.paged = true,
	.run = explain_run,
};

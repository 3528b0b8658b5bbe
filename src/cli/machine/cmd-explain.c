/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom explain: describe a kernel function, event or system call. */
#include "cli/kit/commands.h"

#include <sys/utsname.h>

#include "actions/machine/explain-run.h"

static const struct option_def options[] = {
	OPT_STRING(0, "source", "DIR", struct explain_args, source,
		   "kernel source directory with a file 'tags'"),
	OPT_STRING(0, "vmlinux", "FILE", struct explain_args, vmlinux,
		   "kernel image with debug information, for source lines (default: where "
		   "distributions install it)"),
	OPT_FLAG(0, "recorded", struct explain_args, recorded,
		 "show only what FILE contains, nothing about the running kernel"),
	OPT_FLAG('q', "quiet", struct explain_args, report.quiet,
		 "don't report what is missing in the recording"),
	OPT_FLAG(0, "json", struct explain_args, report.json, "print JSON"),
	OPT_END,
};

const struct command command_explain = {
	.name = "explain",
	.summary = "describe a kernel function, event or system call",
	.description =
		"Shows a function's prototype, its module, all addresses of that name, whether and how "
		"it can be traced on this kernel, and its source; the fields of an event or a system "
		"call. With a recording, also shows its callers and callees there, and how long the "
		"calls took. A term of the glossary, such as kprobe or 'critical path', is "
		"explained as well.",
	.operands = "SYMBOL [FILE]",
	.options = options,
	.args_size = sizeof(struct explain_args),
	.paged = true,
	.run = explain_run,
};

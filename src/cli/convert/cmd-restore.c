/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom restore: a trace file out of what a recorder like trace-cmd left when it died. */
#include "cli/kit/commands.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/convert/restore-run.h"

#define ARGS struct restore_args

static const struct option_def options[] = {
	OPT_STRING('i', "input", "HEAD", ARGS, input,
		   "take what describes the kernel from this trace file; default is this machine"),
	OPT_STRING('o', "output", "FILE", ARGS, output,
		   "write this file; default is trace.dat, with -c trace-partial.dat"),
	OPT_MODE(ARGS, mode),
	OPT_FLAG('c', "create-head", ARGS, create,
		 "write only what describes this machine's kernel, to be used with -i elsewhere"),
	OPT_STRING('t', "tracing-dir", "DIR", ARGS, tracing,
		   "describe the kernel whose directory of tracing, or a copy of it, is here"),
	OPT_STRING('k', "kallsyms", "FILE", ARGS, kallsyms,
		   "take the names of functions from this file, not from /proc/kallsyms"),
	OPT_END,
};

const struct command command_restore = {
	.name = "restore",
	.summary = "make a trace file of what a killed trace-cmd left",
	.description = "trace-cmd collects the data of each CPU in a file of its own, "
		       "trace.dat.cpu0 and so on, and puts them together at the end. When it is "
		       "killed, they stay. This makes the trace file of them. (Recordings of "
		       "fathom need no such thing; see 'fathom recover'.)",
	.operands = "[FILE.cpuN...]",
	.options = options,
	.args_size = sizeof(struct restore_args),
	.run = restore_run,
};

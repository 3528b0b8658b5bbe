/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom restore: rebuild a trace file from trace-cmd's per-CPU files. */
#include "cli/kit/commands.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/convert/restore-run.h"

#define ARGS struct restore_args

static const struct option_def options[] = {
	OPT_STRING(
		'i', "input", "HEAD", ARGS, input,
		"take the description of the kernel from this trace file (default: this machine)"),
	OPT_STRING('o', "output", "FILE", ARGS, output,
		   "output file (default: trace.dat, or trace-partial.dat with -c)"),
	OPT_MODE(ARGS, mode),
	OPT_FLAG('c', "create-head", ARGS, create,
		 "write only the description of this machine's kernel, for -i on another one"),
	OPT_STRING('t', "tracing-dir", "DIR", ARGS, tracing,
		   "describe the kernel from this tracefs directory, or from a copy of one"),
	OPT_STRING('k', "kallsyms", "FILE", ARGS, kallsyms,
		   "kernel symbols (default: /proc/kallsyms)"),
	OPT_END,
};

const struct command command_restore = {
	.name = "restore",
	.summary = "rebuild a trace file from trace-cmd's per-CPU files",
	.description =
		"trace-cmd record writes the data of each CPU to a separate file, trace.dat.cpu0 "
		"and so on, which remain if it is killed. Merges them into a trace file. "
		"For recordings of fathom, see 'fathom recover'.",
	.operands = "[FILE.cpuN...]",
	.options = options,
	.args_size = sizeof(struct restore_args),
	.run = restore_run,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom flame: where the time went, as a picture. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "actions/analysis/flame-run.h"
#include "cli/report/report-options.h"

#define KINDS "wall cpu off own"

static const struct option_def options[] = {
	OPT_STRING('o', "output", "FILE", struct flame_args, output,
		   "write to this file, '-' for standard output; " OUTPUT " by default"),
	OPT_MODE(struct flame_args, mode),
	OPT_CHOICE(
		0, "by", "TIME", KINDS, struct flame_args, flame.by,
		"what makes a box wide: wall (beginning to end), cpu, off (the CPUs) or own time"),
	OPT_STRING(0, "before", "FILE", struct flame_args, before,
		   "compare with this recording: red took more of the time than there, blue less"),
	OPT_FLAG(0, "folded", struct flame_args, folded,
		 "write a line of text for each path, for other programs"),
	OPT_FLAG(0, "samples", struct flame_args, samples,
		 "draw samples of CPUs, also if there are calls"),
	OPT_STRING(
		0, "stacks", "EVENT", struct flame_args, stacks,
		"draw from where events of this name came, or that fit this glob: each stack that was "
		"recorded with one (-T, --user-stack) counts once"),
	OPT_STRING(0, "title", "TEXT", struct flame_args, flame.title, "write this on it"),
	REPORT_SELECT_OPTIONS,
	OPT_FLAG('q', "quiet", struct flame_args, report.quiet, "say nothing but errors"),
	OPT_END,
};

const struct command command_flame = {
	.name = "flame",
	.summary = "draw where the time went, as a flame graph",
	.description =
		"Draws the calls of a recording with the tracer function_graph as an SVG: each "
		"box is a function, as wide as the time that it took, on the one that called it. Of a "
		"recording with samples of CPUs instead those are drawn.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct flame_args),
	.run = flame_run,
};

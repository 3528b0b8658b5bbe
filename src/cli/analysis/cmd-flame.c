/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom flame: draw a flame graph. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "actions/analysis/flame-run.h"
#include "cli/report/report-options.h"

static const struct option_def options[] = {
	OPT_GROUP("What to draw"),
	OPT_CHOICE(0, "by", "TIME", FLAME_WIDTHS, struct flame_args, flame.by,
		   "width of boxes: elapsed time, time on CPU, off CPU, or self time (default: "
		   "wall)"),
	OPT_STRING(
		0, "before", "FILE", struct flame_args, before,
		"compare with this recording: red took a larger share than in FILE, blue a smaller one"),
	OPT_FLAG(0, "folded", struct flame_args, folded,
		 "print a line of text per call path, for other programs"),
	OPT_FLAG(0, "samples", struct flame_args, samples,
		 "draw CPU samples, even if there are calls"),
	OPT_STRING(0, "stacks", "EVENT", struct flame_args, stacks,
		   "draw the stack traces of EVENT, a name or a glob, instead of calls"),
	OPT_STRING(0, "title", "TEXT", struct flame_args, flame.title,
		   "title of the image (default: the name of the recording)"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	OPT_GROUP("Output"),
	OPT_STRING('o', "output", "FILE", struct flame_args, output,
		   "write to FILE, '-' for standard output (default: " OUTPUT ")"),
	OPT_MODE(struct flame_args, mode),
	OPT_FLAG('q', "quiet", struct flame_args, report.quiet, "print only errors"),
	OPT_END,
};

const struct command command_flame = {
	.name = "flame",
	.summary = "draw a flame graph",
	.description =
		"Draws the calls of a function_graph recording as an SVG image: each box is a "
		"function, as wide as its total time, on top of its caller. If a recording has CPU "
		"samples instead of calls, they are drawn.",
	.operands = "[FILE]",
	.options = options,
	.args_size = sizeof(struct flame_args),
	.run = flame_run,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/kit/common-options.h"

#include "cli/kit/command.h"
#include "render/kit/out.h"

const struct option_def common_options[] = {
	OPT_CHOICE(0, "color", "WHEN", OUT_COLORS, struct common_args, color,
		   "colorize the output (default: auto)"),
	OPT_FLAG(0, "no-pager", struct common_args, no_pager, "don't use a pager"),
	OPT_FLAG('h', "help", struct common_args, help, "show this help"),
	OPT_END,
};

const struct option_def leading_options[] = {
	{ .letter = 'o', .name = "output", .arg = "FILE", .kind = OPTION_STRING },
	{ .letter = 'f', .name = "format", .arg = "FORMAT", .kind = OPTION_STRING },
	{ .letter = 'q', .name = "quiet", .kind = OPTION_FLAG },
	{ .letter = 'v', .name = "verbose", .kind = OPTION_FLAG },
	{ .name = "json", .kind = OPTION_FLAG },
	{ .name = "csv", .kind = OPTION_FLAG },
	OPT_END,
};

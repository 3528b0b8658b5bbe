/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/kit/common-options.h"

#include "cli/kit/command.h"

const struct option_def common_options[] = {
	OPT_CHOICE(0, "color", "WHEN", "auto always never", struct common_args, color,
		   "colorize the output (default: auto)"),
	OPT_FLAG(0, "no-pager", struct common_args, no_pager, "don't use a pager"),
	OPT_FLAG('h', "help", struct common_args, help, "show this help"),
	OPT_END,
};

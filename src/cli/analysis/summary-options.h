/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of commands that show what was done in a recording; @options of @type is a struct summary_options. */
#ifndef FATHOM_CLI_ANALYSIS_SUMMARY_OPTIONS_H
#define FATHOM_CLI_ANALYSIS_SUMMARY_OPTIONS_H

#include "cli/kit/option.h"
#include "actions/analysis/summary-run.h"

#define SUMMARY_OPTIONS(type, options)                                                \
	OPT_STRING(0, "phases", "FILE", type, options.rules,                          \
		   "name the kernel's functions by this file; see fathom-phases(5)"), \
		OPT_FLAG(0, "raw", type, options.raw,                                 \
			 "show times of system calls as measured, with the cost of tracing")

#endif

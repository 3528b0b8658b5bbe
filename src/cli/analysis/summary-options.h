/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of commands that print a summary; @options of @type is a struct summary_options. */
#ifndef FATHOM_CLI_ANALYSIS_SUMMARY_OPTIONS_H
#define FATHOM_CLI_ANALYSIS_SUMMARY_OPTIONS_H

#include "cli/kit/option.h"
#include "actions/analysis/summary-run.h"

#define SUMMARY_OPTIONS(type, options)                                  \
	OPT_STRING(0, "phases", "FILE", type, options.rules,            \
		   "read phase rules from FILE, see fathom-phases(5)"), \
		OPT_FLAG(0, "raw", type, options.raw,                   \
			 "show system call times as measured, including the cost of tracing")

#endif

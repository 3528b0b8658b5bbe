/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom export'. */
#ifndef FATHOM_ACTIONS_CONVERT_EXPORT_RUN_H
#define FATHOM_ACTIONS_CONVERT_EXPORT_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"
#include "render/export.h"

struct export_args {
	struct report_args report; /* must be first: its options are in our table */
	const char *format, *output;
	mode_t mode; /* of the output */
	bool list;
};

/* Writes the file @in to @out ("-": standard output). Returns the exit status. */
int export_to(const struct action *action, struct export_args *args,
	      const struct export_output *output, const char *in, const char *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom split'. */
#ifndef FATHOM_ACTIONS_CONVERT_SPLIT_RUN_H
#define FATHOM_ACTIONS_CONVERT_SPLIT_RUN_H

#include "actions/action.h"
#include "write/trace-split.h"

#define BUFFERS_MAX 64

struct split_args {
	const char *input, *output;
	mode_t mode; /* of the output */
	struct trace_split_options options;
	struct trace_split_buffer buffers[BUFFERS_MAX];
	bool repeat;
};

/* Runs with action->args, a struct split_args. Returns the exit status. */
int split_run(const struct action *action);

#endif

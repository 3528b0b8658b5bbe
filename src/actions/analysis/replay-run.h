/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tasks did, in chronological order: all of it, or the slowest calls. */
#ifndef FATHOM_ACTIONS_ANALYSIS_REPLAY_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_REPLAY_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"

#define REPLAY_SLOWEST_MAX 1000

struct replay_args {
	struct report_args report; /* first */
	unsigned long depth; /* levels; 0: the usual number, or with @slowest all */
	uint64_t min; /* calls that took less are folded */
	uint64_t within; /* how much before and after --around; 0: the usual */
	const char *below; /* begin with calls of this function or system call */
	const char *slowest; /* show the slowest calls of this one */
	unsigned long count; /* so many; 0: the usual number */
	const char *rules;
	bool noise, no_events, idle, all;
};

/* The exit code or a negative errno. */
int replay_run(const struct action *action, struct replay_args *args, const char *path,
	       struct fathom_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom replay': what tasks did in time order, all of it or the slowest calls. */
#ifndef FATHOM_ACTIONS_ANALYSIS_REPLAY_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_REPLAY_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"

#define REPLAY_SLOWEST_MAX 1000

struct replay_args {
	struct report_args report; /* must be first */
	unsigned long depth; /* levels; 0: the default, or with @slowest all */
	uint64_t min; /* fold calls that took less */
	uint64_t within; /* time before and after --around; 0: the default */
	const char *below; /* start at calls of this function or system call */
	const char *slowest; /* show the slowest calls of this one */
	unsigned long count; /* number of calls; 0: the default */
	const char *rules;
	bool noise, no_events, idle, all;
};

/* Returns the exit status or a negative errno. */
int replay_run(const struct action *action, struct replay_args *args, const char *path,
	       struct fathom_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The successful command of 'fathom why --compare': failures that both commands have did not make
 * the other one fail.
 */
#ifndef FATHOM_ACTIONS_WHY_WHY_COMPARE_H
#define FATHOM_ACTIONS_WHY_WHY_COMPARE_H

#include "actions/action.h"
#include "actions/analysis/analysis-input.h"
#include "analyze/why/failure-set.h"
#include "analyze/why/failures.h"

struct why_compare {
	const char *name; /* its name in messages; NULL: nothing to compare with */
	int fd; /* the recording, until it is read; -1: none */
	struct report_args args;
	struct analysis_input input;
	struct failures failures;
	struct failure_set set;
};

/* The initial value. */
#define WHY_COMPARE_NONE  \
	{                 \
		.fd = -1, \
	}

/* Opens the recording @path before the sandbox is entered. Returns 0 or a negative errno. */
int why_compare_open(struct why_compare *compare, const char *path, const char *name,
		     struct fathom_err *err);
/* Reads it inside the sandbox; does nothing if none was opened. Returns 0 or a negative errno. */
int why_compare_read(struct why_compare *compare, struct fathom_err *err);
/* Returns the failures of the successful command; NULL: no such command, or it failed. */
const struct failure_set *why_compare_set(const struct why_compare *compare);
/* Reports if it cannot be used. */
void why_compare_report(const struct why_compare *compare, const struct action *action);
void why_compare_done(struct why_compare *compare);

#endif

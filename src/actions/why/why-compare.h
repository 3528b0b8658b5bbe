/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command that succeeded, for 'fathom why --compare': failures that another shares with it did not make that one fail. */
#ifndef FATHOM_ACTIONS_WHY_WHY_COMPARE_H
#define FATHOM_ACTIONS_WHY_WHY_COMPARE_H

#include "actions/action.h"
#include "actions/analysis/analysis-input.h"
#include "analyze/why/failure-set.h"
#include "analyze/why/failures.h"

struct why_compare {
	const char *name; /* what it is called in messages; NULL: there is nothing to compare with */
	int fd; /* the recording, until it is read; -1: none */
	struct report_args args;
	struct analysis_input input;
	struct failures failures;
	struct failure_set set;
};

/* What a variable starts as. */
#define WHY_COMPARE_NONE  \
	{                 \
		.fd = -1, \
	}

/* Opens the recording @path; to be called before the sandbox is entered. 0 or a negative errno. */
int why_compare_open(struct why_compare *compare, const char *path, const char *name,
		     struct fathom_err *err);
/* Reads it, inside the sandbox; nothing if none was opened. 0 or a negative errno. */
int why_compare_read(struct why_compare *compare, struct fathom_err *err);
/* What the command that succeeded failed with; NULL: there is none, or it did not succeed. */
const struct failure_set *why_compare_set(const struct why_compare *compare);
/* Says if it cannot be compared with. */
void why_compare_tell(const struct why_compare *compare, const struct action *action);
void why_compare_done(struct why_compare *compare);

#endif

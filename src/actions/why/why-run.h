/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evaluates the recordings of 'fathom why'. */
#ifndef FATHOM_ACTIONS_WHY_WHY_RUN_H
#define FATHOM_ACTIONS_WHY_WHY_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"
#include "analyze/why/failures.h"
#include "analyze/why/meanings.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "render/kit/out.h"

/* Prefix of a function whose calls matter, but not its return values. */
#define WHY_CALLS_ONLY "-"
/* Prefix of a function whose return value matters but is not an errno. */
#define WHY_ANSWERS "?"
/* More would slow the command down too much. */
#define WHY_FUNCTIONS_MAX 600

DEFINE_CLEANUP(struct meanings, meanings_free);

struct why_args {
	struct report_args report;
	const char *rules, *causes; /* rules files; NULL: the built-in rules */
	const char *vmlinux; /* with debug information; NULL: search for it */
	const char *compared; /* a recording of a successful command; NULL: none */
	const char *compared_name; /* its name in messages */
	struct failure_choice choice;
	uint64_t slow; /* show calls of at least this duration instead of failures; 0: no */
	uint64_t missed; /* return values missed by probes */
	unsigned runs; /* of the command */
	bool of_all; /* tasks: it does not matter which task made the call */
	size_t watched; /* number of functions probed from the start; 0: none */
	bool unwatched; /* return values were not recorded */
	bool asks; /* the caller asks whether to run the command again if a cause is unknown */
	size_t undecided; /* set by why_show(): number of failures shown without a known cause */
};

/*
 * Reads the rules of the file @path, or the built-in rules if it is NULL. Returns 0 or a negative
 * errno.
 */
int why_read_meanings(const char *path, struct meanings **ret_meanings, struct fathom_err *err);
/*
 * Finds the relevant functions that failed calls went through, in a recording of functions: one
 * name per line, see WHY_CALLS_ONLY and WHY_ANSWERS. A sandboxed child process reads the recording.
 * Returns 0 or a negative errno; *@ret_wanted says whether there is a failure to explain.
 */
int why_learn(const struct action *action, struct why_args *args, const char *path,
	      struct strbuf *ret_functions, bool *ret_wanted, struct fathom_err *err);
/*
 * Like why_show(), in a child process, so that the caller can continue. Returns the exit status of
 * the child; *@ret_undecided is its result.
 */
int why_show_apart(const struct action *action, struct why_args *args, const char *path,
		   size_t *ret_undecided, struct fathom_err *err);
/*
 * Shows the failures of a recording with return values. Enters the sandbox. Returns the exit status
 * or a negative errno.
 */
int why_show(const struct action *action, struct why_args *args, const char *path, struct out *out,
	     struct fathom_err *err);

#endif

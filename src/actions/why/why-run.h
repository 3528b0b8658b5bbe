/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carries out `fathom why`, once there are recordings. */
#ifndef FATHOM_ACTIONS_WHY_WHY_RUN_H
#define FATHOM_ACTIONS_WHY_WHY_RUN_H

#include "actions/action.h"
#include "actions/report/report-args.h"
#include "analyze/why/failures.h"
#include "analyze/why/meanings.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "render/kit/out.h"

/* Prefix of a function whose calls matter, not its results. */
#define WHY_CALLS_ONLY "-"
/* Prefix of a function whose result means something without being an errno. */
#define WHY_ANSWERS "?"
/* More make a command too slow to be watched. */
#define WHY_FUNCTIONS_MAX 600

DEFINE_CLEANUP(struct meanings, meanings_free);

struct why_args {
	struct report_args report;
	const char *rules, *causes; /* files of rules; NULL: those of the program */
	const char *vmlinux; /* with debug information; NULL: where such files are */
	const char *compared; /* a recording of a command that succeeded; NULL: none */
	const char *compared_name; /* what that is called in messages */
	struct failure_choice choice;
	uint64_t slow; /* show calls that took this long, not those that failed; 0: no */
	uint64_t missed; /* results, by probes */
	unsigned runs; /* of the command */
	bool of_all; /* tasks: whose call it is does not matter */
	size_t watched; /* functions, whatever is called; 0: those that the calls went through are */
	bool unwatched; /* what functions return was not recorded */
	bool asks; /* the caller asks whether to run the command again, if a cause is unknown */
	size_t undecided; /* set by why_show(): failures that were shown and that no function was seen to decide */
};

/* The rules of the file @path, or with NULL those that come with the program. 0 or a negative errno. */
int why_read_meanings(const char *path, struct meanings **ret_meanings, struct fathom_err *err);
/*
 * Which functions the failed calls went through that matter, out of a recording of functions: a
 * name per line, see WHY_CALLS_ONLY and WHY_ANSWERS. The reading is done by a child process without rights. 0 or a negative errno;
 * *@ret_wanted says whether there is any failure that somebody wants to see.
 */
int why_learn(const struct action *action, struct why_args *args, const char *path,
	      struct strbuf *ret_functions, bool *ret_wanted, struct fathom_err *err);
/*
 * The same as why_show(), by a child process, so that this one can go on: what the child exits with. *@ret_undecided
 * says what it found.
 */
int why_show_apart(const struct action *action, struct why_args *args, const char *path,
		   size_t *ret_undecided, struct fathom_err *err);
/* Shows the failures of a recording with results; enters the sandbox. The exit code or a negative errno. */
int why_show(const struct action *action, struct why_args *args, const char *path, struct out *out,
	     struct fathom_err *err);

#endif

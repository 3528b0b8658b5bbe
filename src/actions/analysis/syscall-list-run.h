/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom syscalls --list'. */
#ifndef FATHOM_ACTIONS_ANALYSIS_SYSCALL_LIST_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_SYSCALL_LIST_RUN_H

#include "actions/action.h"
#include "actions/analysis/analysis-input.h"
#include "base/pattern/match.h"

struct syscall_list_args {
	bool list;
	bool errors; /* only failed calls */
	uint64_t slower; /* only calls of at least this duration */
	struct matches names; /* only these calls */
};

/*
 * Returns whether the name of the call matches. "stat" also matches "newstat", the kernel's name.
 */
bool syscall_list_named(struct matches *names, const char *name);
/* Fails if a name matches no system call; the error names it. */
int syscall_list_check_names(const struct matches *names, const char *words,
			     struct fathom_err *err);
/* Lists the calls of @input, which is open. Returns 0 or a negative errno. */
int syscall_list_run(const struct action *action, struct syscall_list_args *args,
		     struct analysis_input *input, struct fathom_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom syscalls --list: the system calls of a recording one by one. */
#ifndef FATHOM_ACTIONS_ANALYSIS_SYSCALL_LIST_RUN_H
#define FATHOM_ACTIONS_ANALYSIS_SYSCALL_LIST_RUN_H

#include "actions/action.h"
#include "actions/analysis/analysis-input.h"
#include "base/pattern/match.h"

struct syscall_list_args {
	bool list;
	bool errors; /* only calls that failed */
	uint64_t slower; /* only calls that took this long */
	struct matches names; /* only these */
};

/* Does the call of this name fit? "stat" fits "newstat", too, as the kernel calls it. */
bool syscall_list_named(struct matches *names, const char *name);
/* Fails if a name matches no system call; the error names it. */
int syscall_list_check_names(const struct matches *names, const char *words,
			     struct fathom_err *err);
/* Lists the calls of @input, which is open. 0 or a negative errno. */
int syscall_list_run(const struct action *action, struct syscall_list_args *args,
		     struct analysis_input *input, struct fathom_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands have in common that carry out a plan, or otherwise trace until something ends it. */
#ifndef FATHOM_ACTIONS_PLAN_PLAN_RUN_H
#define FATHOM_ACTIONS_PLAN_PLAN_RUN_H

#include <sys/types.h>

#include "actions/action.h"
#include "actions/plan/plan-args.h"

/* For those that cannot watch memory. */
int plan_run_no_watches(const struct plan *plan, struct fathom_err *err);
/* The same, and: is anything traced at all? -EINVAL when not. */
int plan_run_check(const struct plan *plan, struct fathom_err *err);
/* Restores the settings that sessions left when they died: they would be in the way. */
void plan_run_reset_left(const struct action *action);
/* What the user typed; to be freed, NULL without memory. */
char *plan_run_line(const struct action *action);
/* The pids to trace: the threads of the given processes, and @child with -F (0: there is none). */
int plan_run_pids(struct plan_args *args, pid_t child, struct fathom_err *err);
/* Finds the file of the command, or of the process that is traced, where its functions are wanted. */
int plan_run_program(struct plan *plan, const char *command, struct fathom_err *err);
/* Tells what plan_apply() has noted. */
void plan_run_notes(const struct action *action, const struct plan *plan);
/* Symbols are zeros where kptr_restrict is 2, also for us. */
int plan_run_symbols(struct session *session, struct fathom_err *err);
/* Signals that end programs, and those of children: they come through a file, and do nothing else. */
struct plan_signals {
	int fd; /* -1: not taken */
	sigset_t before; /* what was blocked */
};

#define PLAN_SIGNALS_NONE \
	{                 \
		.fd = -1, \
	}

/* 0 or a negative errno. */
int plan_signals_take(struct plan_signals *signals, struct fathom_err *err);
/* From now on they do what they did before; what came and was not read is forgotten. */
void plan_signals_done(struct plan_signals *signals);
#define _cleanup_plan_signals_ __attribute__((cleanup(plan_signals_done)))
/* Words that end with NULL, as execvp() wants them; to be freed, NULL without memory. */
char **plan_run_argv(const struct action *action);

#endif

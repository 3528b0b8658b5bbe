/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the commands that carry out a plan, or otherwise trace until something ends it. */
#ifndef FATHOM_ACTIONS_PLAN_PLAN_RUN_H
#define FATHOM_ACTIONS_PLAN_PLAN_RUN_H

#include <sys/types.h>

#include "actions/action.h"
#include "actions/plan/plan-args.h"

/* For commands that cannot watch memory. */
int plan_run_no_watches(const struct plan *plan, struct fathom_err *err);
/* Likewise, and returns -EINVAL if nothing is traced. */
int plan_run_check(const struct plan *plan, struct fathom_err *err);
/* Restores the settings of sessions that died, which would interfere. */
void plan_run_reset_left(const struct action *action);
/* Returns the command line as typed; to be freed, NULL if out of memory. */
char *plan_run_line(const struct action *action);
/* The PIDs to trace: the threads of the given processes, and @child with -F (0: none). */
int plan_run_pids(struct plan_args *args, pid_t child, struct fathom_err *err);
/* Finds the program of the command or of the traced process, if its functions are traced. */
int plan_run_program(struct plan *plan, const char *command, struct fathom_err *err);
/* As plan_apply(), and shows the progress unless @quiet. */
int plan_run_apply(const struct action *action, struct plan *plan, struct session *session,
		   bool quiet, struct fathom_err *err);
/* Prints the notes of plan_apply(). */
void plan_run_notes(const struct action *action, const struct plan *plan);
/* Without symbols, because kptr_restrict is 2: addresses are zero even for root. */
int plan_run_symbols(struct session *session, struct fathom_err *err);
/* Terminating signals, and SIGCHLD, are read from a descriptor and have no other effect. */
struct plan_signals {
	int fd; /* -1: not in use */
	sigset_t before; /* previously blocked signals */
};

#define PLAN_SIGNALS_NONE \
	{                 \
		.fd = -1, \
	}

/* Returns 0 or a negative errno. */
int plan_signals_take(struct plan_signals *signals, struct fathom_err *err);
/* Restores the previous signal mask, and discards signals that were not read. */
void plan_signals_done(struct plan_signals *signals);
#define _cleanup_plan_signals_ __attribute__((cleanup(plan_signals_done)))
/* Returns a NULL-terminated array for execvp(); to be freed, NULL if out of memory. */
char **plan_run_argv(const struct action *action);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to trace, as given on the command line. Call plan_args_init() first. */
#ifndef FATHOM_ACTIONS_PLAN_PLAN_ARGS_H
#define FATHOM_ACTIONS_PLAN_PLAN_ARGS_H

#include <stdbool.h>

#include <fathom/err.h>

#include "record/plan.h"

struct plan_args {
	struct plan plan; /* empty until the first option */
	bool off; /* after -v */
	bool filter_command; /* -F */
	bool yes; /* --yes */
	char *until; /* --until: the event and the trigger, two strings */
};

int plan_args_init(struct plan_args *args, struct fathom_err *err);
void plan_args_done(struct plan_args *args);

/*
 * Each handles one of trace-cmd's options, listed in fathom(1); @args is a struct plan_args.
 * Options for buffers apply to the buffer named last.
 */
int plan_arg_tracer(void *args, const char *value, struct fathom_err *err);
int plan_arg_event(void *args, const char *value, struct fathom_err *err);
int plan_arg_filter(void *args, const char *value, struct fathom_err *err);
int plan_arg_trigger(void *args, const char *value, struct fathom_err *err);
int plan_arg_off(void *args, const char *value, struct fathom_err *err);
int plan_arg_function(void *args, const char *value, struct fathom_err *err);
int plan_arg_not_function(void *args, const char *value, struct fathom_err *err);
int plan_arg_graph(void *args, const char *value, struct fathom_err *err);
int plan_arg_depth(void *args, const char *value, struct fathom_err *err);
int plan_arg_module(void *args, const char *value, struct fathom_err *err);
int plan_arg_option(void *args, const char *value, struct fathom_err *err);
int plan_arg_stack(void *args, const char *value, struct fathom_err *err);
int plan_arg_user_stack(void *args, const char *value, struct fathom_err *err);
int plan_arg_func_stack(void *args, const char *value, struct fathom_err *err);
int plan_arg_command_only(void *args, const char *value, struct fathom_err *err);
int plan_arg_pid(void *args, const char *value, struct fathom_err *err);
int plan_arg_children(void *args, const char *value, struct fathom_err *err);
int plan_arg_buffer(void *args, const char *value, struct fathom_err *err);
int plan_arg_size(void *args, const char *value, struct fathom_err *err);
int plan_arg_subbuf(void *args, const char *value, struct fathom_err *err);
int plan_arg_clock(void *args, const char *value, struct fathom_err *err);
int plan_arg_cpumask(void *args, const char *value, struct fathom_err *err);
int plan_arg_cmdlines(void *args, const char *value, struct fathom_err *err);
int plan_arg_ignore(void *args, const char *value, struct fathom_err *err);
int plan_arg_no_function(void *args, const char *value, struct fathom_err *err);
int plan_arg_no_ftrace(void *args, const char *value, struct fathom_err *err);
int plan_arg_returns(void *args, const char *value, struct fathom_err *err);
int plan_arg_errors(void *args, const char *value, struct fathom_err *err);
int plan_arg_args(void *args, const char *value, struct fathom_err *err);
int plan_arg_budget(void *args, const char *value, struct fathom_err *err);
int plan_arg_vmlinux(void *args, const char *value, struct fathom_err *err);
int plan_arg_force(void *args, const char *value, struct fathom_err *err);
int plan_arg_all_user_functions(void *args, const char *value, struct fathom_err *err);
int plan_arg_user_functions(void *args, const char *value, struct fathom_err *err);
int plan_arg_yes(void *args, const char *value, struct fathom_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of commands that record, except those that select what to trace, and their parsers. */
#ifndef FATHOM_CLI_RECORD_RECORD_OPTIONS_H
#define FATHOM_CLI_RECORD_RECORD_OPTIONS_H

#include "cli/kit/option.h"
#include "actions/record/record-run.h"

/* @args is a struct record_args. */
int record_arg_for(void *args, const char *value, struct fathom_err *err);
int record_arg_max_size(void *args, const char *value, struct fathom_err *err);
int record_arg_keep_last(void *args, const char *value, struct fathom_err *err);
int record_arg_max_cpu(void *args, const char *value, struct fathom_err *err);
int record_arg_interval(void *args, const char *value, struct fathom_err *err);
int record_arg_poll(void *args, const char *value, struct fathom_err *err);
int record_arg_until(void *args, const char *value, struct fathom_err *err);
int record_arg_network(void *args, const char *value, struct fathom_err *err);
int record_arg_nothing(void *args, const char *value, struct fathom_err *err);

int record_arg_max_overhead(void *args, const char *value, struct fathom_err *err);

#define MAX_OVERHEAD_OPTION                                                                    \
	OPT_CALL(0, "max-overhead", "PERCENT", record_arg_max_overhead,                        \
		 "stop tracing when it takes more than PERCENT of all CPUs, for example 10%, " \
		 "or none")

/* --sample HZ, and how user stacks are unwound. */
int record_arg_sample(void *args, const char *value, struct fathom_err *err);
int record_arg_unwind(void *args, const char *value, struct fathom_err *err);
#define UNWIND_OPTION                                                                        \
	OPT_CALL(0, "unwind", "METHOD", record_arg_unwind,                                   \
		 "unwind user stacks by frame pointers (fp) or from a copy of the stack "    \
		 "(dwarf, or dwarf,KB for its size); most programs are built without frame " \
		 "pointers")

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of commands that record, besides those that say what: for option tables, and what takes their values. */
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

#define MAX_OVERHEAD_OPTION                                                            \
	OPT_CALL(0, "max-overhead", "PERCENT", record_arg_max_overhead,                \
		 "end the tracing when it costs more than this share of the CPUs, as " \
		 "10%, or none")

/* --sample HZ, and how callers in programs are found. */
int record_arg_sample(void *args, const char *value, struct fathom_err *err);
int record_arg_unwind(void *args, const char *value, struct fathom_err *err);
#define UNWIND_OPTION                                                                        \
	OPT_CALL(0, "unwind", "WAY", record_arg_unwind,                                      \
		 "find callers in programs by frame pointers (fp), or out of a copy of the " \
		 "stack (dwarf, or dwarf,KB), as most programs are built without frame "     \
		 "pointers")

#endif

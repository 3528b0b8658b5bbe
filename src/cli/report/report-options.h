/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options that select events, shared by all commands that read a recording: rows for option tables, and the
 * functions that parse their values.
 */
#ifndef FATHOM_CLI_REPORT_REPORT_OPTIONS_H
#define FATHOM_CLI_REPORT_REPORT_OPTIONS_H

#include "actions/report/report-args.h"
#include "cli/kit/option.h"

/* @args is a struct report_args. */
int report_arg_filter(void *args, const char *value, struct fathom_err *err);
int report_arg_negate(void *args, const char *value, struct fathom_err *err);
int report_arg_pid(void *args, const char *value, struct fathom_err *err);
int report_arg_comm(void *args, const char *value, struct fathom_err *err);
int report_arg_buffer(void *args, const char *value, struct fathom_err *err);
int report_arg_cpus(void *args, const char *value, struct fathom_err *err);
int report_arg_first(void *args, const char *value, struct fathom_err *err);
int report_arg_last(void *args, const char *value, struct fathom_err *err);
int report_arg_file(void *args, const char *value, struct fathom_err *err);
int report_arg_raw_event(void *args, const char *value, struct fathom_err *err);
int report_arg_no_handler(void *args, const char *value, struct fathom_err *err);
int report_arg_offset(void *args, const char *value, struct fathom_err *err);
int report_arg_ts2secs(void *args, const char *value, struct fathom_err *err);
int report_arg_text_option(void *args, const char *value, struct fathom_err *err);

/*
 * Options that select events, for all commands that read a trace file. The arguments of the
 * command must start with a struct report_args.
 */
#define REPORT_SELECT_OPTIONS                                                                      \
	OPT_CALL('F', "filter", "FILTER", report_arg_filter,                                       \
		 "show only events that match FILTER, see fathom-filter(7)"),                      \
		OPT_CALL('v', NULL, NULL, report_arg_negate, "invert the -F filters that follow"), \
		OPT_STRING(0, "from", "TIME", struct report_args, from,                            \
			   "start at this time: seconds, '15ms', or '+2s' from the start"),        \
		OPT_STRING(0, "to", "TIME", struct report_args, to, "end at this time"),           \
		OPT_CALL(0, "cpu", "LIST", report_arg_cpus,                                        \
			 "show only events of these CPUs, for example 0,2-5"),                     \
		OPT_CALL(0, "pid", "PID,...", report_arg_pid,                                      \
			 "show only events of these tasks, or about them"),                        \
		OPT_CALL(0, "comm", "NAME", report_arg_comm,                                       \
			 "show only events of tasks with this name"),                              \
		OPT_CALL('B', "buffer", "NAME", report_arg_buffer,                                 \
			 "show only this buffer; 'top' is the top-level one"),                     \
		OPT_FLAG('I', NULL, struct report_args, no_irqs,                                   \
			 "hide events in hardware interrupts"),                                    \
		OPT_FLAG('S', NULL, struct report_args, no_softirqs, "hide events in softirqs")

/* Options that select events by position. */
#define REPORT_COUNT_OPTIONS                                                                  \
	OPT_STRING(0, "around", "TIME", struct report_args, around,                           \
		   "show the 20 events before and after this time; --first sets the number"), \
		OPT_CALL(0, "first", "N", report_arg_first, "show only the first N events"),  \
		OPT_CALL(0, "last", "N", report_arg_last, "show only the last N events")

/* Output formats of commands with a single result. */
#define REPORT_OUTPUT_OPTIONS                                                       \
	OPT_FLAG('q', "quiet", struct report_args, quiet, "print only the result"), \
		OPT_FLAG(0, "json", struct report_args, json, "print JSON"),        \
		OPT_FLAG(0, "csv", struct report_args, csv, "print comma-separated values")

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that choose events, for all commands that read a recording: their rows of an option table, and the
 * functions that take their values.
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
 * The options that choose events, for all commands that read a trace file. What they fill
 * begins with a struct report_args.
 */
#define REPORT_SELECT_OPTIONS                                                                      \
	OPT_CALL('F', "filter", "FILTER", report_arg_filter,                                       \
		 "show events that match, as in fathom-filter(7); several add up"),                \
		OPT_CALL('v', NULL, NULL, report_arg_negate,                                       \
			 "each -F behind it hides what matches"),                                  \
		OPT_STRING(0, "from", "TIME", struct report_args, from,                            \
			   "begin at this time: seconds, '15ms', or '+2s' from the start"),        \
		OPT_STRING(0, "to", "TIME", struct report_args, to, "end at this time"),           \
		OPT_CALL(0, "cpu", "LIST", report_arg_cpus,                                        \
			 "show only events of these CPUs: '0,2-5'"),                               \
		OPT_CALL(                                                                          \
			0, "pid", "PID", report_arg_pid,                                           \
			"show only events of this task, or about it; a list with commas is fine"), \
		OPT_CALL(0, "comm", "NAME", report_arg_comm,                                       \
			 "show only events of tasks with this name"),                              \
		OPT_CALL('B', "buffer", "NAME", report_arg_buffer,                                 \
			 "show only this buffer; 'top' is the main one"),                          \
		OPT_FLAG('I', NULL, struct report_args, no_irqs,                                   \
			 "hide events in hardware interrupts"),                                    \
		OPT_FLAG('S', NULL, struct report_args, no_softirqs,                               \
			 "hide events in software interrupts")

/* Those that choose some of them by their place. */
#define REPORT_COUNT_OPTIONS                                                                 \
	OPT_STRING(0, "around", "TIME", struct report_args, around,                          \
		   "show 20 events before and after this time (--first=N: N of them)"),      \
		OPT_CALL(0, "first", "N", report_arg_first, "show only the first N events"), \
		OPT_CALL(0, "last", "N", report_arg_last, "show only the last N events")

/* How a command with one result writes it. */
#define REPORT_OUTPUT_OPTIONS                                                            \
	OPT_FLAG('q', "quiet", struct report_args, quiet, "say nothing but the result"), \
		OPT_FLAG(0, "json", struct report_args, json, "write JSON"),             \
		OPT_FLAG(0, "csv", struct report_args, csv, "write comma-separated values")

#endif

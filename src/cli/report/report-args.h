/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the options of `fathom report` fill. */
#ifndef FATHOM_CLI_REPORT_REPORT_ARGS_H
#define FATHOM_CLI_REPORT_REPORT_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actions/action.h"
#include "cli/kit/option.h"
#include "render/report/report.h"

/* Options that may be given several times, this often. */
#define REPORT_LIST_MAX 64
#define REPORT_CPUS_MAX 4096

struct report_list {
	const char *items[REPORT_LIST_MAX];
	size_t n;
};

struct report_file {
	const char *path;
	int64_t offset; /* --ts-offset */
	uint32_t ts2secs; /* nanoseconds per count; 0: not given */
};

struct report_args {
	struct report_options options;
	struct report_file files[REPORT_LIST_MAX];
	size_t n_files;
	uint32_t ts2secs; /* for all files */
	struct report_list filters, pids, comms, buffers, raw_events, no_handlers;
	bool hide[REPORT_LIST_MAX]; /* by filter */
	bool negate; /* -v was given */
	bool no_irqs, no_softirqs;
	uint32_t cpus[REPORT_CPUS_MAX];
	size_t n_cpus;
	const char *kallsyms;
	bool user_symbols;
	bool lines; /* of their sources */
	bool debuginfod; /* ask servers for what is not here */
	const char *from, *to, *around;
	unsigned long first, last;
	bool has_first, has_last;
	unsigned compat;
	unsigned time;
	bool json, csv, graph;
	bool raw_ts, no_date, align, check;
	bool wakeups;
	bool quiet, test_filters;
	/* Show this instead of events */
	bool endian, page_size, functions, printk, events, formats, cpu_list, first_event,
		last_event;
	bool check_formats, stat, uname, recorder;
	const char *format;
	/* Accepted because trace-cmd does; plug-ins are part of the program here. */
	bool no_system_plugins, verbose_flag, profile, global;
	const char *verbose, *hook;
	bool by_comm;
};

/* cmd-report.c: for option tables; @args is a struct report_args. */
int report_arg_filter(void *args, const char *value, struct fathom_err *err);
int report_arg_negate(void *args, const char *value, struct fathom_err *err);
int report_arg_pid(void *args, const char *value, struct fathom_err *err);
int report_arg_comm(void *args, const char *value, struct fathom_err *err);
int report_arg_buffer(void *args, const char *value, struct fathom_err *err);
int report_arg_cpus(void *args, const char *value, struct fathom_err *err);
int report_arg_first(void *args, const char *value, struct fathom_err *err);
int report_arg_last(void *args, const char *value, struct fathom_err *err);

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

/* Writes it so: calls NAME_print(), NAME_print_json() or NAME_print_csv(), as @args say. */
#define REPORT_PRINT(args, name, ...)                    \
	((args)->json ? name##_print_json(__VA_ARGS__) : \
	 (args)->csv  ? name##_print_csv(__VA_ARGS__) :  \
			name##_print(__VA_ARGS__))

/* report-list.c: does one of the "show instead" options apply? Then *@ret_code is the exit code. */
bool report_list_wanted(const struct report_args *args);
int report_list(const struct action *action, const struct report_args *args,
		struct fathom_trace *trace, const char *path, struct fathom_err *err);

#endif

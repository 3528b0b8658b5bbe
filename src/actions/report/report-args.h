/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events of which files to show, and how. */
#ifndef FATHOM_ACTIONS_REPORT_REPORT_ARGS_H
#define FATHOM_ACTIONS_REPORT_REPORT_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actions/action.h"
#include "render/report/report.h"

/* Maximum number of uses of repeatable options. */
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
	bool lines; /* with source lines */
	bool debuginfod; /* request missing files from servers */
	const char *from, *to, *around;
	unsigned long first, last;
	bool has_first, has_last;
	unsigned compat;
	unsigned time; /* enum report_time */
	bool json, csv, graph;
	const char *fields, *layout; /* --fields, --format */
	bool raw_ts, no_date, align, check;
	bool wakeups;
	bool quiet, test_filters;
	/* Shown instead of events */
	bool endian, page_size, functions, printk, events, formats, cpu_list, first_event,
		last_event;
	bool check_formats, stat, uname, recorder;
	const char *format;
	/* Accepted for compatibility with trace-cmd; there are no plugins. */
	bool no_system_plugins, verbose_flag, profile, global;
	const char *verbose, *hook;
	bool by_comm;
};

/*
 * Prints in the chosen format: calls NAME_print(), NAME_print_json() or NAME_print_csv(), by @args.
 */
#define REPORT_PRINT(args, name, ...)                    \
	((args)->json ? name##_print_json(__VA_ARGS__) : \
	 (args)->csv  ? name##_print_csv(__VA_ARGS__) :  \
			name##_print(__VA_ARGS__))

/*
 * In report-list.c: handles the options that show something else. Returns true if there was one;
 * *@ret_code is the exit status.
 */
bool report_list_wanted(const struct report_args *args);
int report_list(const struct action *action, const struct report_args *args,
		struct fathom_trace *trace, const char *path, struct fathom_err *err);

#endif

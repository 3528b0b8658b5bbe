/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom record'. */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_RUN_H
#define FATHOM_ACTIONS_RECORD_RECORD_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "actions/action.h"
#include "actions/plan/plan-args.h"
#include "kernel/events/return-probes.h"
#include "record/command/child.h"

/* The words for enum compression, in the same order; "any" is chosen by the recorder. */
#define RECORD_COMPRESSIONS "none zlib zstd any"

struct record_args {
	struct plan_args plan; /* must be first, see PLAN_OPTIONS */
	const char *output; /* NULL: trace.dat */
	mode_t mode; /* of it */
	int file; /* not 0: write to this open, unnamed file; @output is a way to open it */
	const char *user;
	const char *hook; /* trace-cmd's -H, stored in the file for its --profile */
	bool all_formats;
	bool quiet;
	bool tells_users; /* report the cost of user functions even if quiet */
	bool measures_price; /* the cost of tracing for the command */
	bool strict;
	bool dry_run;
	bool date;
	bool proc_map;
	enum child_output command_output;
	uint64_t *ret_missed; /* if not NULL, set to the number of missed hits, instead of printing it */
	bool keep; /* leave all settings in effect */
	bool no_filter; /* do not exclude our own threads */
	bool compress; /* zstd, or @compression */
	unsigned compression; /* enum compression, named by RECORD_COMPRESSIONS */
	unsigned long file_version; /* 0: 7 */
	unsigned long priority;
	unsigned long interval_us;
	bool has_interval;
	uint64_t max_cpu_bytes; /* -m */
	uint64_t max_bytes; /* --max-size */
	uint64_t for_ns;
	double max_overhead; /* share of all CPUs, 0: none; and where the limit was given */
	bool has_max_overhead;
	uint64_t last_ns, last_bytes; /* --keep-last */
	bool keep_last;
	const char *ts_offset;
	unsigned long sample_hz; /* 0: no samples */
	uint32_t unwind_bytes; /* stack bytes copied per sample; 0: frame pointers */
	bool has_unwind; /* given explicitly */
	bool unwinds_events; /* also unwind the stacks of events in buffers that want some */
	const char *unwinds_only; /* of these events only, as "sched:sched_switch"; NULL: of all */
	bool unwind_may_fail; /* use the kernel's own stacks instead, which are also recorded */
	const struct return_probe *returns; /* functions whose return values are recorded */
	size_t n_returns;
	const char *symbols; /* relevant symbols, as in /proc/kallsyms; NULL: all, if any */
	/* Set by record_run(). */
	bool is_made; /* this run has a recording */
	bool is_empty; /* it has neither events nor samples */
};

/*
 * In record-samples.c: prepares for data from perf in a buffer @name, with the clock of all other
 * buffers. @what is for messages. Addresses in the data will be symbolized.
 */
int record_plan_own(struct plan *plan, const char *name, const char *what, struct fathom_err *err);

/* Records; @argv is the command, if any. Returns the exit status. */
int record_run(const struct action *action, struct record_args *args, int argc, char **argv);
/*
 * Likewise, for commands that print nothing about the recording. Returns EXIT_EMPTY if it is empty.
 */
int record_run_unseen(const struct action *action, struct record_args *args, int argc, char **argv);

#endif

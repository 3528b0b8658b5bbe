/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carries out `fathom record`. */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_RUN_H
#define FATHOM_ACTIONS_RECORD_RECORD_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "actions/action.h"
#include "actions/plan/plan-args.h"
#include "kernel/events/return-probes.h"
#include "record/command/child.h"

struct record_args {
	struct plan_args plan; /* first, see PLAN_OPTIONS */
	const char *output; /* NULL: trace.dat */
	mode_t mode; /* of it */
	int file; /* not 0: goes to this open file, which has no name; @output is a way to open it */
	const char *user;
	const char *hook; /* trace-cmd's -H, kept in the file for its --profile */
	bool all_formats;
	bool quiet;
	bool tells_users; /* report the cost of user functions even if quiet */
	bool measures_price; /* what tracing costs the command */
	bool strict;
	bool dry_run;
	bool date;
	bool proc_map;
	enum child_output command_output;
	uint64_t *ret_missed; /* not NULL: gets how many hits probes have missed, which is not told then */
	bool keep; /* leave everything set */
	bool no_filter; /* do not keep our own threads out */
	bool compress; /* zstd, or @compression */
	unsigned compression; /* enum compression, with its names in this order */
	unsigned long file_version; /* 0: 7 */
	unsigned long priority;
	unsigned long interval_us;
	bool has_interval;
	uint64_t max_cpu_bytes; /* -m */
	uint64_t max_bytes; /* --max-size */
	uint64_t for_ns;
	double max_overhead; /* a share of all CPUs, 0: none; where it was given */
	bool has_max_overhead;
	uint64_t last_ns, last_bytes; /* --keep-last */
	bool keep_last;
	const char *ts_offset;
	unsigned long sample_hz; /* 0: no samples */
	uint32_t unwind_bytes; /* of stacks that are copied with samples, to be unwound; 0: frame pointers */
	bool has_unwind; /* it was said how */
	bool unwinds_events; /* also the stacks that come with events of buffers which want some */
	const char *unwinds_only; /* of these events, as "sched:sched_switch"; NULL: of all */
	bool unwind_may_fail; /* then the kernel's own stacks have to do, which are recorded as well */
	const struct return_probe
		*returns; /* functions whose results are recorded, of the tasks of the plan */
	size_t n_returns;
	const char *
		symbols; /* of the kernel that matter, as /proc/kallsyms has them; NULL: all, if any does */
	/* Set by record_run(). */
	bool is_made; /* there is a recording of this run */
	bool is_empty; /* it holds neither events nor samples */
};

/*
 * record-samples.c: what comes from perf will be in a buffer of this @name, on the clock of all others; @what it is is
 * for messages. Its addresses want names.
 */
int record_plan_own(struct plan *plan, const char *name, const char *what, struct fathom_err *err);

/* Records; @argv is the command to run, if there is one. The exit code. */
int record_run(const struct action *action, struct record_args *args, int argc, char **argv);
/* The same for commands that show nothing of the recording: EXIT_EMPTY if nothing is in it. */
int record_run_unseen(const struct action *action, struct record_args *args, int argc, char **argv);

#endif

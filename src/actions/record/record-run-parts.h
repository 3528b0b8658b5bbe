/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording from start to end: record-begin.c prepares it, record-run.c runs and monitors it,
 * record-end.c finishes the file and reports the result.
 */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_RUN_PARTS_H
#define FATHOM_ACTIONS_RECORD_RECORD_RUN_PARTS_H

#include <signal.h>

#include "actions/plan/plan-run.h"
#include "actions/record/record-overhead.h"
#include "actions/record/record-price.h"
#include "actions/record/record-returns.h"
#include "actions/record/record-run.h"
#include "actions/record/record-text.h"
#include "actions/record/record-watch.h"
#include "base/files/new-file.h"
#include "base/strbuf.h"
#include "record/command/child.h"
#include "record/file/left-recordings.h"
#include "record/recorder.h"
#include "record/unwind/map-log.h"

/* A recording in progress. */
struct record_run {
	const struct action *action;
	struct record_args *args;
	struct plan *plan;
	const char *output;
	struct child child;
	bool has_command;
	pid_t command; /* its PID, also after it has exited */
	struct session *session;
	struct recorder *recorder;
	struct new_file file;
	struct recording_note note; /* location of the file, in case we are killed */
	struct plan_signals signals;
	struct sigaction too_large; /* previous action of SIGXFSZ */
	int *switches; /* tracing_on of each buffer */
	bool on;
	bool is_left; /* restoring kernel settings failed */
	bool committed; /* the file has got its name */
	uint64_t started, stopped;
	uint64_t kept_ns; /* of --keep-last TIME */
	uint64_t overwritten; /* events, with --keep-last */
	struct recorder_totals totals;
	uint64_t missed; /* probe hits */
	struct fathom_err failure; /* of the data path */
	struct strbuf *maps; /* of each traced process, in the format of option PROCMAPS */
	size_t n_maps;
	struct samples *samples; /* NULL: none */
	struct unwinder *unwinder; /* of samples; NULL: none */
	struct record_watch *watch; /* NULL: no watched memory */
	struct record_returns *returns; /* NULL: no return values */
	struct map_log *map_log; /* NULL: not needed */
	struct record_text text;
	struct record_overhead overhead;
	struct record_price price;
	pid_t *untraced; /* our own tasks, which are excluded */
	size_t n_untraced;
	unsigned hides; /* of interrupts, while @untraced run: see enum plan_hides */
	uint64_t used_ns; /* CPU time of this process while it recorded */
	double ask_scale; /* of prices; 0: functions are traced without asking */
};

/*
 * Does everything before the buffers are enabled: the command waits, the kernel is set up, and the
 * file and the recorder exist.
 */
int record_run_prepare(struct record_run *run, char **argv, int argc, struct fathom_err *err);

/* Lists our other processes. Returns their number. */
size_t record_run_helpers(const struct record_run *run, pid_t pids[RECORD_OVERHEAD_PIDS]);

/* Disables tracing, once. */
void record_run_switch_off(struct record_run *run);

/* Writes the remaining data and the end of the file. */
int record_run_finish(struct record_run *run, struct trace_out_result *ret_result,
		      struct fathom_err *err);

/* Restores the kernel's settings, or with --keep leaves them in effect. */
int record_run_put_back(struct record_run *run, struct fathom_err *err);

/* Rewrites the recording in another version, or compressed. */
int record_run_convert(struct record_run *run, struct fathom_err *err);

/* Report an error and return an exit status. */
int record_run_fail(struct record_run *run, const struct fathom_err *err);

/* 127 or 126 if the command was not found or cannot be executed, as for env(1). */
int record_run_fail_to_go(struct record_run *run, const struct fathom_err *err);

/* The file is valid anyway. */
int record_run_fail_to_finish(struct record_run *run, const struct fathom_err *err);

/* Prints the summary, and waits for the command. Returns the exit status. */
int record_run_conclude(struct record_run *run, const struct trace_out_result *result);

#endif

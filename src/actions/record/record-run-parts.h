/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording from its begin to its end. record-begin.c prepares it, record-run.c lets it go and watches it,
 * record-end.c finishes the file and says how it went.
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

/* A recording that is being made. */
struct record_run {
	const struct action *action;
	struct record_args *args;
	struct plan *plan;
	const char *output;
	struct child child;
	bool has_command;
	pid_t command; /* its pid, also when it has ended */
	struct session *session;
	struct recorder *recorder;
	struct new_file file;
	struct recording_note note; /* where the file is, should we be killed */
	struct plan_signals signals;
	struct sigaction too_large; /* what SIGXFSZ did before */
	int *switches; /* tracing_on of each buffer */
	bool on;
	bool is_left; /* restoring kernel settings failed */
	bool committed; /* the file has its name */
	uint64_t started, stopped;
	uint64_t kept_ns; /* of --keep-last TIME */
	uint64_t overwritten; /* events, with --keep-last */
	struct recorder_totals totals;
	uint64_t missed; /* hits of probes */
	struct fathom_err failure; /* of the data path */
	struct strbuf *maps; /* of each traced process, as option PROCMAPS has them */
	size_t n_maps;
	struct samples *samples; /* NULL: none */
	struct unwinder *unwinder; /* of samples; NULL: none */
	struct record_watch *watch; /* NULL: no memory is watched */
	struct record_returns *returns; /* NULL: no results of functions */
	struct map_log *map_log; /* NULL: nobody will ask for it */
	struct record_text text;
	struct record_overhead overhead;
	struct record_price price;
	pid_t *untraced; /* our own tasks, which are kept out */
	size_t n_untraced;
	double ask_scale; /* of prices; 0: functions are traced without a question */
};

/* Everything before the rings are switched on: the command waits, the kernel is set, the file and the recorder are there. */
int record_run_prepare(struct record_run *run, char **argv, int argc, struct fathom_err *err);

/* Processes of ours beside this one. Returns how many. */
size_t record_run_helpers(const struct record_run *run, pid_t pids[RECORD_OVERHEAD_PIDS]);

/* Switches tracing off, once. */
void record_run_switch_off(struct record_run *run);

/* Writes what is left and the end of the file. */
int record_run_finish(struct record_run *run, struct trace_out_result *ret_result,
		      struct fathom_err *err);

/* Restores the kernel's settings, or with --keep leaves them in effect. */
int record_run_put_back(struct record_run *run, struct fathom_err *err);

/* Rewrites the recording in another version, or compressed. */
int record_run_convert(struct record_run *run, struct fathom_err *err);

/* Say what went wrong; an exit code. */
int record_run_fail(struct record_run *run, const struct fathom_err *err);

/* 127 or 126 if the command was not found or cannot be executed, as for env(1). */
int record_run_fail_to_go(struct record_run *run, const struct fathom_err *err);

/* The file is valid all the same. */
int record_run_fail_to_finish(struct record_run *run, const struct fathom_err *err);

/* Says how it went, and waits for the command. The exit code. */
int record_run_conclude(struct record_run *run, const struct trace_out_result *result);

#endif

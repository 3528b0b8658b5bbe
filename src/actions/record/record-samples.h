/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU samples in a recording, for 'fathom record --sample' and 'fathom sample'. */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_SAMPLES_H
#define FATHOM_ACTIONS_RECORD_RECORD_SAMPLES_H

#include "actions/action.h"
#include "actions/record/record-run.h"
#include "base/strbuf.h"
#include "record/recorder.h"
#include "record/samples/samples.h"

#define SAMPLE_HZ \
	"99" /* the default rate: not a multiple of anything that happens 100 times a second */

/* Default size of stack copies for unwinding. */
#define UNWIND_BYTES 8192

/* Returns whether any of it is recorded. Call after record_samples_plan(). */
bool record_has_samples(const struct record_args *args);
/* The unwinder and the map log; NULL: nothing is unwound. */
int record_samples_unwinder(const struct record_args *args, struct unwinder **ret_unwinder,
			    struct fathom_err *err);
/* Checks that other options are compatible, and adds what samples need to the plan. */
int record_samples_plan(struct record_args *args, struct fathom_err *err);
/* Adds the buffer of samples, after those of the plan. */
struct recorder_buffer record_samples_buffer(const struct plan *plan);
/*
 * Opens the perf events, disabled. @starting is the process that becomes the command, 0 if there is
 * none; @not_pids are our @n other processes.
 */
int record_samples_open(const struct record_args *args, struct recorder *recorder, pid_t starting,
			const pid_t *not_pids, size_t n, struct unwinder *unwinder,
			struct map_log *maps, struct samples **ret_samples, struct fathom_err *err);
/* Writes the rest, after samples_switch(). Stores the error in @failure, unless that has one. */
void record_samples_end(struct samples *samples, struct recorder *recorder, struct strbuf *info,
			struct fathom_err *failure);
/* Reports losses and, unless quiet, the number of samples. */
void record_samples_report(const struct samples *samples, const struct record_args *args,
			   const struct action *action);

#endif

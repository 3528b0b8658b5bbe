/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of CPUs in a recording: what `fathom record --sample` and `fathom sample` add to it. */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_SAMPLES_H
#define FATHOM_ACTIONS_RECORD_RECORD_SAMPLES_H

#include "actions/action.h"
#include "actions/record/record-run.h"
#include "base/strbuf.h"
#include "record/recorder.h"
#include "record/samples/samples.h"

#define SAMPLE_HZ \
	"99" /* what is taken mostly: it does not keep step with what happens 100 times a second */

/* Of stacks that are copied, to be unwound, unless told otherwise. */
#define UNWIND_BYTES 8192

/* Is anything of it to be recorded? To be asked after record_samples_plan(). */
bool record_has_samples(const struct record_args *args);
/* The process that unwinds, and who tells it what is mapped; NULL: nothing is to be unwound. */
int record_samples_unwinder(const struct record_args *args, struct unwinder **ret_unwinder,
			    struct fathom_err *err);
/* Are the other options such that it goes? Then the plan gets what samples need. */
int record_samples_plan(struct record_args *args, struct fathom_err *err);
/* The buffer of samples; those of the plan come before it. */
struct recorder_buffer record_samples_buffer(const struct plan *plan);
/*
 * Opens the events, switched off; @starting is what will become the command, 0 if there is none, and
 * @not_pids, of @n, are processes of ours.
 */
int record_samples_open(const struct record_args *args, struct recorder *recorder, pid_t starting,
			const pid_t *not_pids, size_t n, struct unwinder *unwinder,
			struct map_log *maps, struct samples **ret_samples, struct fathom_err *err);
/* Takes the last, after samples_switch(); what it failed with is kept in @failure, if nothing is. */
void record_samples_end(struct samples *samples, struct recorder *recorder, struct strbuf *info,
			struct fathom_err *failure);
/* Says what was lost, and unless it is to be quiet how many there are. */
void record_samples_tell(const struct samples *samples, const struct record_args *args,
			 const struct action *action);

#endif

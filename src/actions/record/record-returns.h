/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What kernel functions return, in a recording of tasks: in a buffer of its own, see kernel/events/return-probes.h. */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_RETURNS_H
#define FATHOM_ACTIONS_RECORD_RECORD_RETURNS_H

#include "actions/record/record-run.h"
#include "base/strbuf.h"
#include "record/recorder.h"

struct record_returns;

/* The plan gets what is needed. *@ret_returns is NULL when no results are wanted. */
int record_returns_plan(struct record_args *args, struct record_returns **ret_returns,
			struct fathom_err *err);
void record_returns_free(struct record_returns *returns);
/* The buffer of results; those of the plan come before it. */
struct recorder_buffer record_returns_buffer(const struct plan *plan);

/*
 * To be called before function_graph is switched on: some kernels (7.2) confuse the two if a function is just being entered
 * when this comes second, and warn. Nothing is recorded yet.
 */
int record_returns_attach(struct record_returns *returns, struct fathom_err *err);
/* To be called before the tasks of the plan are let go: what functions return to them is recorded from now on. */
int record_returns_begin(struct record_returns *returns, struct recorder *recorder,
			 struct fathom_err *err);
/* Readable when much has come; -1 before it has begun. */
int record_returns_fd(const struct record_returns *returns);
/* Writes what has come; with @all also pages that are not full. 0 or a negative errno. */
int record_returns_take(struct record_returns *returns, bool all);
/* Takes the last; what it failed with is kept in @failure, if nothing is. */
void record_returns_end(struct record_returns *returns, struct strbuf *info,
			struct fathom_err *failure);
uint64_t record_returns_lost(const struct record_returns *returns);

#endif

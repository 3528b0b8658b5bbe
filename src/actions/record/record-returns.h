/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Return values of kernel functions in a recording of tasks, in a separate buffer; see
 * kernel/events/return-probes.h.
 */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_RETURNS_H
#define FATHOM_ACTIONS_RECORD_RECORD_RETURNS_H

#include "actions/record/record-run.h"
#include "base/strbuf.h"
#include "record/recorder.h"

struct record_returns;

/* Adds what is needed to the plan. *@ret_returns is NULL if no return values are wanted. */
int record_returns_plan(struct record_args *args, struct record_returns **ret_returns,
			struct fathom_err *err);
void record_returns_free(struct record_returns *returns);
/* Adds the buffer of return values, after those of the plan. */
struct recorder_buffer record_returns_buffer(const struct plan *plan);

/*
 * Call before enabling function_graph: if a function is entered at that moment, some kernels (7.2)
 * confuse the two and warn. Nothing is recorded yet.
 */
int record_returns_attach(struct record_returns *returns, struct fathom_err *err);
/* Call before the tasks of the plan continue: return values are recorded from now on. */
int record_returns_begin(struct record_returns *returns, struct recorder *recorder,
			 struct fathom_err *err);
/* A descriptor that becomes readable when much data is available; -1 before recording starts. */
int record_returns_fd(const struct record_returns *returns);
/* Writes the available data; with @all also partial pages. Returns 0 or a negative errno. */
int record_returns_take(struct record_returns *returns, bool all);
/* Writes the rest. Stores the error in @failure, unless that has one. */
void record_returns_end(struct record_returns *returns, struct strbuf *info,
			struct fathom_err *failure);
uint64_t record_returns_lost(const struct record_returns *returns);

#endif

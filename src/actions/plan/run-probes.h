/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes of the session for data that events lack: paths, and what programs write. */
#ifndef FATHOM_ACTIONS_PLAN_RUN_PROBES_H
#define FATHOM_ACTIONS_PLAN_RUN_PROBES_H

#include "record/plan.h"

/*
 * Adds them to the first buffer; @written: also those for written text. Returns 0 or a negative
 * errno.
 */
int run_probes_add(struct plan *plan, bool written, struct fathom_err *err);
/* Appends the names of the probed functions on any kernel, one per line. */
void run_probes_functions(struct strbuf *names);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes of the session's own that tell what events do not: paths, and what programs write. */
#ifndef FATHOM_ACTIONS_PLAN_RUN_PROBES_H
#define FATHOM_ACTIONS_PLAN_RUN_PROBES_H

#include "record/plan.h"

/* Adds them to the first buffer; @written: also what is written. 0 or a negative errno. */
int run_probes_add(struct plan *plan, bool written, struct fathom_err *err);
/* Appends the names of the functions that they are in, of any kernel, a line each. */
void run_probes_functions(struct strbuf *names);

#endif

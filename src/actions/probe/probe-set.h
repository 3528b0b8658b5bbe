/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes on many functions, before they are added permanently: which functions can be probed, and
 * the overhead.
 */
#ifndef FATHOM_ACTIONS_PROBE_PROBE_SET_H
#define FATHOM_ACTIONS_PROBE_PROBE_SET_H

#include "actions/action.h"
#include "record/plan.h"

/*
 * Plans the probe @text, a glob, as the only content of @plan. Places the probes for a moment in a
 * session of its own, which counts their hits and removes them. Probes that the kernel rejects are
 * disabled in the plan; the overhead may exceed the budget. The results are in the notes of the
 * plan.
 */
int probe_set_try(struct plan *plan, const char *text, const struct action *action,
		  struct fathom_err *err);
/* Likewise, without placing probes: all are assumed to be accepted. @types may be NULL. */
int probe_set_list(struct plan *plan, const char *text, struct types *types,
		   struct fathom_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes at many functions, before they are made for good: which ones can be, and what they would cost. */
#ifndef FATHOM_ACTIONS_PROBE_PROBE_SET_H
#define FATHOM_ACTIONS_PROBE_PROBE_SET_H

#include "actions/action.h"
#include "record/plan.h"

/*
 * Plans the probe @text, a glob, which is all that @plan has then. They are made for a moment in a session of its own,
 * which counts their hits and removes them; what cannot be made is off, and what they cost may be too much. What is
 * found out is in the notes of the plan.
 */
int probe_set_try(struct plan *plan, const char *text, const struct action *action,
		  struct fathom_err *err);
/* The same, but nothing is made: all of them are taken for good. @types may be NULL. */
int probe_set_list(struct plan *plan, const char *text, struct types *types,
		   struct fathom_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks before functions of the whole machine are traced, where that would cost too much. */
#ifndef FATHOM_ACTIONS_PLAN_PLAN_ASK_H
#define FATHOM_ACTIONS_PLAN_PLAN_ASK_H

#include "actions/action.h"
#include "actions/plan/plan-args.h"

/* Is there something to ask? Not with --yes, other tracers, or only some processes. */
bool plan_may_ask(const struct plan_args *args);
/*
 * The scale of prices (record/plan.h) for plan_ask(), or 0 when there is nothing to ask. To be called before
 * functions are traced.
 */
double plan_ask_scale(const struct plan_args *args);
/*
 * Looks what the tracers that are set now cost. Above OVERHEAD_ASK it asks on the terminal; @signals is the
 * file of struct plan_signals, or -1. -E2BIG when there is no terminal, -ECANCELED when the answer is no.
 */
int plan_ask(const struct action *action, struct plan *plan, struct session *session, double scale,
	     int signals, struct fathom_err *err);

#endif

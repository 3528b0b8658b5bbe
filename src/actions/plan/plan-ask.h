/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks before functions of the whole machine are traced, if the overhead would be too high. */
#ifndef FATHOM_ACTIONS_PLAN_PLAN_ASK_H
#define FATHOM_ACTIONS_PLAN_PLAN_ASK_H

#include "actions/action.h"
#include "actions/plan/plan-args.h"

/* Returns whether to ask: not with --yes, other tracers, or selected processes only. */
bool plan_may_ask(const struct plan_args *args);
/*
 * Returns the scale of prices (record/plan.h) for plan_ask(), or 0 if there is no need to ask. Call
 * before functions are traced.
 */
double plan_ask_scale(const struct plan_args *args);
/*
 * Measures the overhead of the current tracers. Above OVERHEAD_ASK, asks on the terminal. @signals
 * is the descriptor of struct plan_signals, or -1. Returns -E2BIG if there is no terminal,
 * -ECANCELED if the answer is no.
 */
int plan_ask(const struct action *action, struct plan *plan, struct session *session, double scale,
	     int signals, struct fathom_err *err);

#endif

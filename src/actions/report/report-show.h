/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom report'. */
#ifndef FATHOM_ACTIONS_REPORT_REPORT_SHOW_H
#define FATHOM_ACTIONS_REPORT_REPORT_SHOW_H

#include "actions/action.h"
#include "actions/report/report-args.h"

/* Returns the exit status. */
int report_show(const struct action *action, struct report_args *args);

#endif

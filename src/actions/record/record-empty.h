/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Explains why a recording is empty. */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_EMPTY_H
#define FATHOM_ACTIONS_RECORD_RECORD_EMPTY_H

#include <stdbool.h>
#include <stdio.h>

#include "actions/plan/plan-args.h"

/* Prints why nothing was recorded with this plan, as far as can be known, one line per reason. */
void record_empty_report(const struct plan_args *args, bool has_command, FILE *messages);

#endif

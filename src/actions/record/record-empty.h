/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a recording holds nothing. */
#ifndef FATHOM_ACTIONS_RECORD_RECORD_EMPTY_H
#define FATHOM_ACTIONS_RECORD_RECORD_EMPTY_H

#include <stdbool.h>
#include <stdio.h>

#include "actions/plan/plan-args.h"

/* Says why nothing was recorded by this plan, as far as it can be known; a line for each reason. */
void record_empty_tell(const struct plan_args *args, bool has_command, FILE *messages);

#endif

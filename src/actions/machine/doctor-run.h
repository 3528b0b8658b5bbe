/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom doctor'. */
#ifndef FATHOM_ACTIONS_MACHINE_DOCTOR_RUN_H
#define FATHOM_ACTIONS_MACHINE_DOCTOR_RUN_H

#include "actions/action.h"

struct doctor_args {
	bool json, csv;
	bool mount;
	bool verbose;
	bool may_try;
	bool cost;
};

/* Runs with action->args, a struct doctor_args. Returns the exit status. */
int doctor_run(const struct action *action);

#endif

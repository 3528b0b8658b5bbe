/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of `fathom doctor`, once its options are read. */
#ifndef FATHOM_ACTIONS_MACHINE_DOCTOR_RUN_H
#define FATHOM_ACTIONS_MACHINE_DOCTOR_RUN_H

#include "actions/action.h"

struct doctor_args {
	bool json;
	bool mount;
	bool verbose;
	bool may_try;
	bool cost;
};

/* @args of the action is a struct doctor_args. The exit code. */
int doctor_run(const struct action *action);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom probe'. */
#ifndef FATHOM_ACTIONS_PROBE_PROBE_RUN_H
#define FATHOM_ACTIONS_PROBE_PROBE_RUN_H

#include "actions/action.h"
#include "actions/plan/plan-args.h"

struct probe_args {
	struct plan_args plan; /* must be first, see plan-args.h; only its budget is used */
	bool dry_run, all, json, csv;
	const char *btf, *vmlinux;
};

/* Runs with action->args, a struct probe_args. Returns the exit status. */
int probe_run(const struct action *action);

#endif

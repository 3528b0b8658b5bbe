/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of `fathom probe`, once its options are read. */
#ifndef FATHOM_ACTIONS_PROBE_PROBE_RUN_H
#define FATHOM_ACTIONS_PROBE_PROBE_RUN_H

#include "actions/action.h"
#include "actions/plan/plan-args.h"

struct probe_args {
	struct plan_args plan; /* first, see plan-args.h; of it what probes may cost */
	bool dry_run, all, json;
	const char *btf, *vmlinux;
};

/* @args of the action is a struct probe_args. The exit code. */
int probe_run(const struct action *action);

#endif

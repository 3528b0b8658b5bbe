/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches memory, and prints each hit as it happens. */
#ifndef FATHOM_ACTIONS_PROBE_WATCH_RUN_H
#define FATHOM_ACTIONS_PROBE_WATCH_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "actions/action.h"

struct watch_args {
	uint64_t pid; /* 0: none */
	bool kernel;
	bool stacks, json, hex, quiet;
	uint64_t count; /* 0: no limit */
	uint64_t span; /* nanoseconds; 0: no limit */
	uint64_t buffer_kb;
	const char *user;
};

/* Returns the exit status. */
int watch_run(const struct action *action, const struct watch_args *args);

#endif

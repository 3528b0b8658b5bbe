/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements 'fathom extract'. */
#ifndef FATHOM_ACTIONS_RECORD_EXTRACT_RUN_H
#define FATHOM_ACTIONS_RECORD_EXTRACT_RUN_H

#include <stdbool.h>

#include "actions/action.h"
#include "actions/session/session-use.h"

struct extract_args {
	struct session_args session; /* must be first */
	const char *output; /* NULL: trace.dat */
	mode_t mode; /* of it */
	bool snapshot;
	bool date;
	bool keep; /* of the session */
	bool quiet;
};

/* Writes the buffers to the file and ends the session. Returns the exit status. */
int extract_run(const struct action *action, const struct extract_args *args);

#endif

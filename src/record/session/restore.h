/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restores the changes of a session: processes its records in reverse order. Each step is
 * idempotent, so restoring can be interrupted anywhere and started again. Objects that have
 * disappeared need no restoring.
 */
#ifndef FATHOM_RECORD_SESSION_RESTORE_H
#define FATHOM_RECORD_SESSION_RESTORE_H

#include <fathom/err.h>

#include "record/session/journal-format.h"
#include "record/session/session-env.h"

struct restore_result {
	unsigned changed; /* settings restored, instances and events removed */
	unsigned failed; /* steps that failed */
	long stopped_guardian; /* PID of a guardian that was stopped and had to be killed, or 0 */
};

/*
 * Processes all records despite failures; retries each object in use for @wait_ms. Returns 0, or
 * the first failure, a negative errno whose message is in @err. *@ret_result is set unless tracefs
 * is not accessible.
 */
int records_restore(const struct records *records, const struct session_env *env, unsigned wait_ms,
		    struct restore_result *ret_result, struct fathom_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Putting back what a session has changed: its records, backwards. Each step is
 * the same when it is done twice or was never needed, so it can be interrupted
 * anywhere and begun again. What has vanished meanwhile needs no putting back.
 */
#ifndef FATHOM_RECORD_SESSION_RESTORE_H
#define FATHOM_RECORD_SESSION_RESTORE_H

#include <fathom/err.h>

#include "record/session/journal-format.h"
#include "record/session/session-env.h"

struct restore_result {
	unsigned changed; /* settings put back, instances and events removed */
	unsigned failed;
	long stopped_guardian; /* PID of a guardian that was stopped and had to be killed, or 0 */
};

/*
 * Goes through all, whatever fails. What is in use is tried again for @wait_ms.
 * Returns the first failure, with the message about it in @err.
 */
int records_restore(const struct records *records, const struct session_env *env, unsigned wait_ms,
		    struct restore_result *ret_result, struct fathom_err *err);

#endif

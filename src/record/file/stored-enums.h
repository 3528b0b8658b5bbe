/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names for the numbers of enums in events that outlive the command that made them: they are kept beside the journals
 * of sessions, which are gone after a reboot as the events are, and put into recordings of such events.
 */
#ifndef FATHOM_RECORD_FILE_STORED_ENUMS_H
#define FATHOM_RECORD_FILE_STORED_ENUMS_H

#include <fathom/err.h>

#include "base/strbuf.h"
#include "record/session/session-env.h"

/*
 * Adds @enums, lines as in record/file/enum-names.h, in the place of those of the same events, and forgets those of events that
 * the kernel does not have any more. The directory of journals has to be there. 0 or a negative errno.
 */
int stored_enums_add(const struct session_env *env, const char *enums, struct fathom_err *err);
/* Appends all of them to @enums; that there are none is no failure. 0 or -ENOMEM. */
int stored_enums_read(const struct session_env *env, struct strbuf *enums);

#endif

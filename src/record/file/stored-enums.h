/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of enums for probe events that outlive the command that created them. They are stored next
 * to the journals of sessions, which disappear at reboot just as the events do, and added to
 * recordings of these events.
 */
#ifndef FATHOM_RECORD_FILE_STORED_ENUMS_H
#define FATHOM_RECORD_FILE_STORED_ENUMS_H

#include <fathom/err.h>

#include "base/strbuf.h"
#include "record/session/session-env.h"

/*
 * Stores @enums, lines as in record/file/enum-names.h, in place of those of the same events, and
 * removes those of events that no longer exist. Does nothing without a directory of journals.
 * Returns 0 or a negative errno.
 */
int stored_enums_add(const struct session_env *env, const char *enums, struct fathom_err *err);
/* Appends all names to @enums; there may be none. Returns 0 or -ENOMEM. */
int stored_enums_read(const struct session_env *env, struct strbuf *enums);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Small files next to the journals, which last until reboot. They cache data that is expensive to
 * obtain.
 */
#ifndef FATHOM_RECORD_FILE_STORED_FILE_H
#define FATHOM_RECORD_FILE_STORED_FILE_H

#include <stddef.h>

#include "base/strbuf.h"
#include "record/session/session-env.h"

/*
 * Appends the contents of file @name. A file that is missing, not regular or larger than @max bytes
 * reads as empty. Returns 0 or -ENOMEM.
 */
int stored_file_read(const struct session_env *env, const char *name, size_t max,
		     struct strbuf *text);
/*
 * Excludes other writers until the caller closes the descriptor that is returned, or returns a
 * negative errno. Requires the directory of journals.
 */
int stored_file_lock(const struct session_env *env);
/*
 * Replaces the file atomically, or removes it if @text is empty. Requires the lock. Returns 0 or a
 * negative errno.
 */
int stored_file_write(const struct session_env *env, const char *name, const struct strbuf *text);

#endif

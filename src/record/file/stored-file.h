/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small files beside the journals, which are there until the machine is started anew: things that were found out once. */
#ifndef FATHOM_RECORD_FILE_STORED_FILE_H
#define FATHOM_RECORD_FILE_STORED_FILE_H

#include <stddef.h>

#include "base/strbuf.h"
#include "record/session/session-env.h"

/* Appends its text. One that is not there, or not plain, or larger than @max, has none. 0 or -ENOMEM. */
int stored_file_read(const struct session_env *env, const char *name, size_t max,
		     struct strbuf *text);
/* Keeps others from writing until the file that it returns is closed; or a negative errno. */
int stored_file_lock(const struct session_env *env);
/* For who has the lock. Replaces it at once; without text it is removed. 0 or a negative errno. */
int stored_file_write(const struct session_env *env, const char *name, const struct strbuf *text);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finishes a recording whose recorder has died. */
#ifndef FATHOM_RECORD_RECOVER_H
#define FATHOM_RECORD_RECOVER_H

#include <fathom/err.h>

#include "record/trace-out.h"

/*
 * Finishes the file in place. -EBUSY while its recorder lives; -EALREADY when it is
 * finished; -EINVAL when it is no recording of ours that could be finished.
 */
int recording_recover(const char *path, struct trace_out_result *ret_result,
		      struct fathom_err *err);

/*
 * Opens @path for recording, empties it, and holds it against a second recorder until
 * it is closed. A file descriptor, or a negative errno.
 */
int recording_create(const char *path, struct fathom_err *err);

#endif

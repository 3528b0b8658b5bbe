/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finishes a recording whose recorder has died. */
#ifndef FATHOM_RECORD_RECOVER_H
#define FATHOM_RECORD_RECOVER_H

#include <fathom/err.h>

#include "base/new-file.h"
#include "record/trace-out.h"

/*
 * Finishes the file in place. -EBUSY while its recorder lives; -EALREADY when it is
 * finished; -EINVAL when it is no recording of ours that could be finished.
 */
int recording_recover(const char *path, struct trace_out_result *ret_result,
		      struct fathom_err *err);

/* Is the open file a recording that was not finished? 1 or 0; -EINVAL: not a recording at all. */
int recording_is_unfinished(int fd);

/*
 * Makes the file of a recording that will be called @path: name it when it has a head, commit it
 * when it records. It is held against a second recorder and recording_recover() until it is closed. -EBUSY
 * when what has that name now is being recorded.
 */
int recording_create(const char *path, mode_t mode, struct new_file *ret_file,
		     struct fathom_err *err);

#endif

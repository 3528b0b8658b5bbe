/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finishes a recording whose recorder has died. */
#ifndef FATHOM_RECORD_FILE_RECOVER_H
#define FATHOM_RECORD_FILE_RECOVER_H

#include <fathom/err.h>

#include "base/files/new-file.h"
#include "record/file/trace-out.h"

/* Opens a recording for recording_recover(). A descriptor, -EBUSY while its recorder lives, or another negative errno. */
int recording_open_left(const char *path, struct fathom_err *err);
/*
 * Finishes the file in place. -EALREADY when it is finished; -EINVAL when it is no recording of ours that could be
 * finished. Needs no more rights than sandbox_enter_finishing() leaves.
 */
int recording_recover(int fd, const char *path, struct trace_out_result *ret_result,
		      struct fathom_err *err);

/*
 * Is the open file a recording that was not finished? 1 or 0; -EINVAL: not a recording at all; or another negative
 * errno. It is read in a process without rights.
 */
int recording_is_unfinished(int fd, const char *path);

/*
 * Makes the file of a recording that will be called @path: name it when it has a head, commit it
 * when it records. It is held against a second recorder and recording_recover() until it is closed. -EBUSY
 * when what has that name now is being recorded.
 */
int recording_create(const char *path, mode_t mode, struct new_file *ret_file,
		     struct fathom_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Creates recordings, and finishes those whose recorder has died. A lock on the file, held until it
 * is closed, keeps recorders and recording_recover() apart.
 */
#ifndef FATHOM_RECORD_FILE_RECOVER_H
#define FATHOM_RECORD_FILE_RECOVER_H

#include <fathom/err.h>

#include "base/files/new-file.h"
#include "record/file/trace-out.h"

/*
 * Opens a recording for recording_recover(). Returns a descriptor, to be closed by the caller;
 * -EBUSY while its recorder is alive; or another negative errno.
 */
int recording_open_left(const char *path, struct fathom_err *err);
/*
 * Finishes the file in place. Returns 0 or a negative errno: -EALREADY if it is finished, -EINVAL
 * if it is not a recording of fathom that can be finished. Works with the privileges of
 * sandbox_enter_finishing(), and should, because it parses the file.
 */
int recording_recover(int fd, const char *path, struct trace_out_result *ret_result,
		      struct fathom_err *err);

/*
 * Returns 1 if the open file is a recording that was not finished, 0 if it was, -EINVAL if it is
 * not a recording, or another negative errno. The file is parsed in a confined process.
 */
int recording_is_unfinished(int fd, const char *path);

/*
 * Creates the file of a recording that will be called @path, and locks it. Name the file when its
 * head is written, and commit it when recording has started. Returns 0 or a negative errno, -EBUSY
 * if the existing file of that name is being recorded.
 */
int recording_create(const char *path, mode_t mode, struct new_file *ret_file,
		     struct fathom_err *err);

#endif

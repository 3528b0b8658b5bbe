/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the recording in progress, to follow it without naming it. */
#ifndef FATHOM_ACTIONS_REPORT_LIVE_FILE_H
#define FATHOM_ACTIONS_REPORT_LIVE_FILE_H

#include <fathom/err.h>

/*
 * Returns its path, to be freed. A negative errno if there is none or more than one; @err says what
 * to do.
 */
int live_file_find(char **ret_path, struct fathom_err *err);

#endif

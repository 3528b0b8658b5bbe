/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recording that is under way, for who follows it without saying which. */
#ifndef FATHOM_ACTIONS_REPORT_LIVE_FILE_H
#define FATHOM_ACTIONS_REPORT_LIVE_FILE_H

#include <fathom/err.h>

/* Its file, to be freed. A negative errno if there is none, or more than one: @err says what to do. */
int live_file_find(char **ret_path, struct fathom_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A temporary file without a name, which is freed when its last descriptor is closed. */
#ifndef FATHOM_BASE_FILES_UNNAMED_FILE_H
#define FATHOM_BASE_FILES_UNNAMED_FILE_H

#include <fathom/err.h>

/*
 * Creates a file in $TMPDIR, /var/tmp or /tmp. Returns a descriptor for reading and writing, or a
 * negative errno. It can be reopened as "/proc/self/fd/N".
 */
int unnamed_file_open(struct fathom_err *err);

#endif

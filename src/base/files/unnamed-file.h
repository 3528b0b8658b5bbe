/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file without a name: it is gone when nobody has it open any more, however a program ends. */
#ifndef FATHOM_BASE_FILES_UNNAMED_FILE_H
#define FATHOM_BASE_FILES_UNNAMED_FILE_H

#include <fathom/err.h>

/*
 * Makes one in $TMPDIR, or in /var/tmp or /tmp. A descriptor for reading and writing, or a negative errno.
 * "/proc/self/fd/N" opens it once more.
 */
int unnamed_file_open(struct fathom_err *err);

#endif

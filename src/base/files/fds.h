/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file descriptors of this process as a whole: what it starts with, and what it hands on. */
#ifndef FATHOM_BASE_FILES_FDS_H
#define FATHOM_BASE_FILES_FDS_H

/*
 * Opens /dev/null in place of standard input, output or error where one of them is closed: no
 * file that is opened later, which may be one of the kernel's, gets that number. 0 or a negative errno.
 */
int fds_open_standard(void);
/* Closes @from and all above it. For a process that is about to execute a program. */
void fds_close_from(int from);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The descriptors that this process starts with and hands on. */
#ifndef FATHOM_BASE_FILES_FDS_H
#define FATHOM_BASE_FILES_FDS_H

/*
 * Opens /dev/null for each standard descriptor that is closed, so that no file opened later gets
 * its number and then receives our output. Returns 0 or a negative errno.
 */
int fds_open_standard(void);
/* Closes all descriptors from @from on. For use before execve(2). */
void fds_close_from(int from);

#endif

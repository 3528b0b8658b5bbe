/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a trace file without events: the description of the machine. Together with the ring-buffer
 * pages that another recorder left behind, it becomes a trace.
 */
#ifndef FATHOM_RECORD_FILE_MACHINE_HEAD_H
#define FATHOM_RECORD_FILE_MACHINE_HEAD_H

#include <stdbool.h>

#include <fathom/err.h>

struct machine_head {
	const char *root; /* the root for tracefs_find() */
	int tracefs; /* descriptor of the tracefs directory, or of a copy */
	const char *kallsyms; /* file with kernel symbols; NULL: /proc/kallsyms */
	bool is_copy; /* @tracefs may be of another machine, so don't add data from /proc */
};

/*
 * Writes to @fd, an empty regular file open for reading and writing, which stays the caller's.
 * Returns 0 or a negative errno.
 */
int machine_head_write(const struct machine_head *head, int fd, struct fathom_err *err);

#endif

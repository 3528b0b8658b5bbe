/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace file without events: all that a file says about the machine it was recorded on.
 * With the ring-buffer pages that another recorder left behind it becomes a trace.
 */
#ifndef FATHOM_RECORD_FILE_MACHINE_HEAD_H
#define FATHOM_RECORD_FILE_MACHINE_HEAD_H

#include <stdbool.h>

#include <fathom/err.h>

struct machine_head {
	const char *root; /* "" but in tests */
	int tracefs; /* the directory of tracing, or a copy of one */
	const char *kallsyms; /* take the names of functions from this file; NULL: from /proc */
	bool is_copy; /* @tracefs may be another machine's: nothing of /proc belongs to it */
};

/* Writes to @fd, an empty plain file that is open for reading and writing. */
int machine_head_write(const struct machine_head *head, int fd, struct fathom_err *err);

#endif

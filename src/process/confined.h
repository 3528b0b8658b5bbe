/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sandboxed worker process for untrusted input. It runs without privileges, cannot open files
 * (see sandbox.h), has limits of memory and CPU time, and serves requests over a socket. If
 * malformed input crashes it, only the worker dies.
 */
#ifndef FATHOM_PROCESS_CONFINED_H
#define FATHOM_PROCESS_CONFINED_H

#include <stdint.h>

#include <fathom/err.h>

#include "process/helper-process.h"

struct confined_limits {
	uint64_t memory;
	unsigned seconds; /* of CPU time in total; 0: any */
	int buffer; /* bytes in transit in each direction; 0: the default of sockets */
};

/*
 * Starts a process that calls @serve with its end of the socket and @data, and exits when that
 * returns. Returns 0 or a negative errno.
 */
int confined_start(struct helper_process *process, void (*serve)(int fd, void *data), void *data,
		   const struct confined_limits *limits, struct fathom_err *err);

#endif

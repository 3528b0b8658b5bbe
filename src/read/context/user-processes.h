/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a trace tells about the memory of processes: recorded maps, forks and started programs. */
#ifndef FATHOM_READ_CONTEXT_USER_PROCESSES_H
#define FATHOM_READ_CONTEXT_USER_PROCESSES_H

#include <fathom/err.h>
#include <fathom/trace.h>

#include "read/event-table.h"
#include "symbols/user/user-symbols.h"

/*
 * Adds all of it to @symbols, which may look at the trace as long as they live. Goes over the whole trace when it
 * describes forks or starts of programs and its recorder kept no log of them. 0 or a negative errno.
 */
int user_processes_read(struct fathom_trace *trace, struct event_table *events,
			struct user_symbols *symbols, struct fathom_err *err);

#endif

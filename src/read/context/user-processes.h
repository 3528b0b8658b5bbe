/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of processes as recorded in a trace: mappings, forks and executed programs. */
#ifndef FATHOM_READ_CONTEXT_USER_PROCESSES_H
#define FATHOM_READ_CONTEXT_USER_PROCESSES_H

#include <fathom/err.h>
#include <fathom/trace.h>

#include "read/event-table.h"
#include "symbols/user/user-symbols.h"

/*
 * Adds all of these to @symbols, which refer to the trace from then on. Reads the whole trace if it
 * has events of forks or execs and its recorder kept no log of mappings. Returns 0 or a negative
 * errno.
 */
int user_processes_read(struct fathom_trace *trace, struct event_table *events,
			struct user_symbols *symbols, struct fathom_err *err);

#endif

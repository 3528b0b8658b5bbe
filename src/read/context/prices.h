/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What tracing cost while a command was recorded, as our recorder measured it in the process that became the command,
 * and noted it in the file.
 */
#ifndef FATHOM_READ_CONTEXT_PRICES_H
#define FATHOM_READ_CONTEXT_PRICES_H

#include <stdbool.h>

#include <fathom/trace.h>

/* The key of the note, and its text: what is in struct prices, in this order; the second half may be missing. */
#define PRICES_KEY	    "prices"
#define PRICES_FORMAT	    "event %.1f ns, function call %.1f ns"
#define PRICES_FORMAT_CALLS ", in a system call %.1f ns, path %.1f ns and %.2f ns a byte"

struct prices {
	double event_ns; /* an event */
	double call_ns; /* a function that is recorded: its begin and its end; 0: functions are not */
	/* Of system calls: what their own two events add to the time between them; 0: these three are not known. */
	double syscall_ns;
	double path_ns, path_byte_ns; /* an event with a path, and each byte of that */
};

/* False: they are not noted. */
bool prices_read(const struct fathom_trace *trace, struct prices *ret_prices);

#endif

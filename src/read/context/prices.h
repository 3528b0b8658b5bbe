/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The overhead of tracing a command, as the recorder measured it in the process that became the
 * command, and noted it in the file. Times are in nanoseconds.
 */
#ifndef FATHOM_READ_CONTEXT_PRICES_H
#define FATHOM_READ_CONTEXT_PRICES_H

#include <stdbool.h>

#include <fathom/trace.h>

/*
 * The key of the note, and its text: the members of struct prices in this order. The second half is
 * optional.
 */
#define PRICES_KEY	    "prices"
#define PRICES_FORMAT	    "event %.1f ns, function call %.1f ns"
#define PRICES_FORMAT_CALLS ", in a system call %.1f ns, path %.1f ns and %.2f ns a byte"

struct prices {
	double event_ns; /* per event */
	/* per traced function, entry and exit together; 0: functions are not traced */
	double call_ns;
	/*
	 * Added by the two events of a system call to the time between them; 0: these three are
	 * unknown.
	 */
	double syscall_ns;
	double path_ns, path_byte_ns; /* per event with a path, and per byte of the path */
};

/* Returns false if no prices are noted. */
bool prices_read(const struct fathom_trace *trace, struct prices *ret_prices);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Return values of kernel functions as events, in a buffer of their own, like samples (see
 * format/event/sample-event.h). They have the fields of a kretprobe event, so that readers of those
 * need no special case.
 *
 *	__probe_func	the function, at the address that function_graph records
 *	__probe_ret_ip	0: the caller is not recorded
 *	ret		the return value
 */
#ifndef FATHOM_FORMAT_EVENT_RETURN_EVENT_H
#define FATHOM_FORMAT_EVENT_RETURN_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#define RETURN_EVENT_NAME "returned"
/* The name of the buffer in the file. */
#define RETURN_EVENT_BUFFER "returns"
#define RETURN_EVENT_ID	    65532
#define RETURN_EVENT_SIZE   32

/* The format, in the kernel's syntax. */
extern const char return_event_format[];

/* Writes the event to @out, big-endian if @big. */
void return_event_write(int32_t tid, uint64_t function, int64_t result, bool big,
			uint8_t out[RETURN_EVENT_SIZE]);

#endif

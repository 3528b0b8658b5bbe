/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results of kernel functions as events of a trace, in a buffer of their own, as samples are (see
 * format/event/sample-event.h). They have the fields of a kretprobe event, so that who reads those reads these.
 *
 *	__probe_func	the function, at the address that function_graph has for it
 *	__probe_ret_ip	0: who called it is not recorded
 *	ret		what it returned
 */
#ifndef FATHOM_FORMAT_EVENT_RETURN_EVENT_H
#define FATHOM_FORMAT_EVENT_RETURN_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#define RETURN_EVENT_NAME "returned"
/* Of the buffer in the file. */
#define RETURN_EVENT_BUFFER "returns"
#define RETURN_EVENT_ID	    65532
#define RETURN_EVENT_SIZE   32

/* As the kernel writes it for its events. */
extern const char return_event_format[];

/* Writes the event into @out, in the byte order that @big says. */
void return_event_write(int32_t tid, uint64_t function, int64_t result, bool big,
			uint8_t out[RETURN_EVENT_SIZE]);

#endif

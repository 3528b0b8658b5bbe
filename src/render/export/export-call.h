/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recognizes events for the entry and exit of system calls. There are two families, raw_syscalls
 * and one event per system call; if a trace has both, one event of each pair is redundant.
 */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_CALL_H
#define FATHOM_RENDER_EXPORT_EXPORT_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include <fathom/cursor.h>

#include "format/event/event-format.h"

enum export_call_kind {
	EXPORT_CALL_NONE, /* not an event of a system call */
	EXPORT_CALL_ENTER,
	EXPORT_CALL_EXIT,
};

/* The last such event on a CPU. Zero-initialized: none. */
struct export_call {
	enum export_call_kind kind;
	uint16_t id; /* of the event */
	int32_t pid;
	uint64_t number;
};

/*
 * Returns the meaning of events of this format. *@ret_number is the field with the number of the
 * call, unless the kind is EXPORT_CALL_NONE.
 */
enum export_call_kind export_call_kind(const struct event_format *format,
				       const struct event_field **ret_number);
/*
 * Returns the name of the call from that of the event, "read", or NULL. Valid as long as @format.
 */
const char *export_call_name(const struct event_format *format);
/* Returns whether the event repeats @last. If it does not, it becomes @last. */
bool export_call_repeats(struct export_call *last, enum export_call_kind kind,
			 const struct fathom_event *event, uint64_t number);

#endif

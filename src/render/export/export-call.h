/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events that tell where a system call begins and ends. There are two families, raw_syscalls
 * and one event for each call, and a trace may have both: then of each pair one is enough.
 */
#ifndef FATHOM_RENDER_EXPORT_EXPORT_CALL_H
#define FATHOM_RENDER_EXPORT_EXPORT_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include <fathom/cursor.h>

#include "format/event/event-format.h"

enum export_call_kind {
	EXPORT_CALL_NONE, /* it tells of none */
	EXPORT_CALL_ENTER,
	EXPORT_CALL_EXIT,
};

/* What was told last on a CPU. Zero-initialised: nothing. */
struct export_call {
	enum export_call_kind kind;
	uint16_t id; /* of the event */
	int32_t pid;
	uint64_t number;
};

/* Which field is the number of the call goes to *@ret_number. */
enum export_call_kind export_call_kind(const struct event_format *format,
				       const struct event_field **ret_number);
/* The name of the call, where the event has it: "read"; or NULL. */
const char *export_call_name(const struct event_format *format);
/* Does the event say once more what the last one has said? Else it is the last one from now on. */
bool export_call_repeats(struct export_call *last, enum export_call_kind kind,
			 const struct fathom_event *event, uint64_t number);

#endif

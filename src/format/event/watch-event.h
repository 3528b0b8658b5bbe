/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hits of watched memory as events of a trace, in a buffer of their own, as samples are (see
 * format/event/sample-event.h).
 *
 *	ip	behind the instruction that touched it, or, with @access 4, this instruction
 *	address	of the bytes
 *	old	what was there before, and
 *	new	after; as many bytes as @length says, the rest is 0
 *	tgid	the process
 *	length	how many bytes are watched there; 0 of an instruction
 *	known	1: @old is known, 2: @new is, 3: both
 *	access	what was watched for: 1 writes, 3 reads as well, 4 that it is executed
 *	user	1: the program did it, 0: the kernel
 *	kernel	how many of the addresses in @stack are the kernel's; those of the program follow
 *	stack	who called, the innermost first; it begins with @ip
 *	what	what the user has called it
 */
#ifndef FATHOM_FORMAT_EVENT_WATCH_EVENT_H
#define FATHOM_FORMAT_EVENT_WATCH_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event/perf-records.h"
#include "format/event/sample-event.h"

#define WATCH_EVENT_SYSTEM SAMPLE_SYSTEM
#define WATCH_EVENT_NAME   "watch"
/* Of the buffer in the file. */
#define WATCH_EVENT_BUFFER "watch"
#define WATCH_EVENT_ID	   65533

enum {
	WATCH_EVENT_OLD = 1,
	WATCH_EVENT_NEW = 2,
};
enum {
	WATCH_EVENT_WRITE = 1,
	WATCH_EVENT_READ = 2,
	WATCH_EVENT_EXECUTE = 4,
};

/* Names that are longer are cut. */
#define WATCH_EVENT_WHAT_MAX 200
#define WATCH_EVENT_HEAD     72
#define WATCH_EVENT_SIZE_MAX (WATCH_EVENT_HEAD + 8 * SAMPLE_FRAMES_MAX + WATCH_EVENT_WHAT_MAX)

/* As the kernel writes it for its events. */
extern const char watch_event_format[];

struct watch_event {
	uint64_t address, before, after;
	uint32_t length, known, access;
	const char *what;
};

/*
 * Writes the event of a hit, whose record says who and where, in the byte order of its layout, into @out,
 * which has room for WATCH_EVENT_SIZE_MAX. Its size.
 */
uint32_t watch_event_write(const struct perf_layout *layout, const struct perf_record *record,
			   const struct watch_event *event, uint8_t *out);

#endif

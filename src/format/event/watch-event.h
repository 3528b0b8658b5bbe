/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Accesses to watched memory as events, in a buffer of their own, like samples (see
 * format/event/sample-event.h).
 *
 *	ip	after the accessing instruction; with @access 4, that instruction
 *	address	of the watched bytes
 *	old	their value before the access
 *	new	their value after it; both have @length bytes, the rest is 0
 *	tgid	the process
 *	length	the number of watched bytes; 0 for an instruction
 *	known	1: @old is known, 2: @new is, 3: both
 *	access	the kind of watchpoint: 1 writes, 3 reads and writes, 4 execution
 *	user	1: accessed by user space, 0: by the kernel
 *	kernel	the number of kernel addresses in @stack; user addresses follow
 *	stack	the call chain, innermost first; it begins with @ip
 *	what	the name that the user gave it
 */
#ifndef FATHOM_FORMAT_EVENT_WATCH_EVENT_H
#define FATHOM_FORMAT_EVENT_WATCH_EVENT_H

#include <stdint.h>

#include "format/event/perf-records.h"
#include "format/event/sample-event.h"

#define WATCH_EVENT_SYSTEM SAMPLE_SYSTEM
#define WATCH_EVENT_NAME   "watch"
/* The name of the buffer in the file. */
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

/* Longer names are truncated. */
#define WATCH_EVENT_WHAT_MAX 200
#define WATCH_EVENT_HEAD     72
#define WATCH_EVENT_SIZE_MAX (WATCH_EVENT_HEAD + 8 * SAMPLE_FRAMES_MAX + WATCH_EVENT_WHAT_MAX)

/* The format, in the kernel's syntax. */
extern const char watch_event_format[];

struct watch_event {
	uint64_t address, before, after;
	uint32_t length, known, access;
	const char *what;
};

/*
 * Writes the event of a hit to @out, which must have room for WATCH_EVENT_SIZE_MAX bytes. Task,
 * stack and byte order are those of @record and @layout. Returns the size of the event.
 */
uint32_t watch_event_write(const struct perf_layout *layout, const struct perf_record *record,
			   const struct watch_event *event, uint8_t *out);

#endif

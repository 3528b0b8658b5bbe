/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPU samples as events. perf's records are converted to events with a format in the kernel's
 * syntax, in a buffer of their own, so that readers of trace.dat merge, seek, filter and convert
 * them like all others.
 *
 *	ip	the sampled instruction
 *	ns	the time that the sample represents, in nanoseconds
 *	tgid	the process
 *	user	1: in user space, 0: in the kernel
 *	kernel	the number of kernel addresses in @stack; user addresses follow
 *	end	why the user part of @stack ends: a number of enum sample_end
 *	event	the ID of the event that triggered the sample; 0: a timer did, and @ns is valid
 *	stack	the call chain, innermost first; it begins with @ip
 */
#ifndef FATHOM_FORMAT_EVENT_SAMPLE_EVENT_H
#define FATHOM_FORMAT_EVENT_SAMPLE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event/perf-records.h"

#define SAMPLE_SYSTEM "fathom"
#define SAMPLE_NAME   "sample"
/* The name of the buffer in the file. */
#define SAMPLE_BUFFER "samples"
/* Kernels number events upwards from 1 and don't get near this. */
#define SAMPLE_ID 65534

/* More frames than any kernel records. */
#define SAMPLE_FRAMES_MAX 256
#define SAMPLE_HEAD	  48
#define SAMPLE_SIZE_MAX	  (SAMPLE_HEAD + 8 * SAMPLE_FRAMES_MAX)

/* Why the user call chain ends. The numbers are part of the file format. */
enum sample_end {
	SAMPLE_END_FRAME_POINTERS, /* the kernel followed frame pointers to their end */
	SAMPLE_END_WHOLE, /* complete, up to the outermost function */
	SAMPLE_END_COPY, /* the copy of the stack ends here */
	SAMPLE_END_NO_RULES, /* the file has no unwind rules for this address */
	SAMPLE_END_NO_FILE, /* no file: JIT-compiled code, or the file could not be opened */
	SAMPLE_END_NOWHERE, /* the return address is not in code */
	SAMPLE_END_ROOM, /* the event has no room for more */
	SAMPLE_END_LATE, /* not unwound in time: frame pointers, as the kernel followed them */
	SAMPLE_END_OTHER_ABI, /* a 32-bit program: frame pointers */
	SAMPLE_ENDS
};

/*
 * Returns a short text in brackets, shown in place of further callers, or NULL if there is none.
 * Accepts any number read from a file. The string is static.
 */
const char *sample_end_text(uint64_t end);

/* The format, in the kernel's syntax. */
extern const char sample_format[];

/*
 * Writes the call chain of a record, without markers, as at most SAMPLE_FRAMES_MAX addresses.
 * Returns their number; the first *@ret_kernel of them are kernel addresses.
 */
uint32_t sample_stack_write(const struct perf_layout *layout, const struct perf_record *record,
			    uint8_t *out, uint32_t *ret_kernel);
/*
 * Writes the event of a sample to @out, which must have room for SAMPLE_SIZE_MAX bytes, in the byte
 * order of @layout. Returns its size. @ns is the time that the sample represents, ignored if an
 * event triggered it.
 */
uint32_t sample_event_write(const struct perf_layout *layout, const struct perf_record *record,
			    uint64_t ns, uint8_t *out);
/* Returns the ID of the event that triggered a sample; 0: none, a timer did. */
uint16_t sample_record_event(const struct perf_layout *layout, const struct perf_record *record);
/* Overwrites the ID of the triggering event in an event written by sample_event_write(). */
void sample_event_set_event(uint8_t *event, uint16_t id, bool big);
/* The same for the reason why the stack ends. */
void sample_event_set_end(uint8_t *event, enum sample_end end, bool big);
/*
 * Replaces the user addresses in such an event by the @n given ones, as many as there is room for.
 * Returns the new size of the event.
 */
uint32_t sample_event_set_frames(uint8_t *event, const uint64_t *frames, uint32_t n,
				 enum sample_end end, bool big);

#endif

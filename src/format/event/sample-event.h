/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples of CPUs as events of a trace. perf's records become events with a format text like the
 * kernel's own, in a buffer of their own: so every reader of trace.dat merges, seeks, filters and
 * converts them as it does with all others, and nothing has to know a second kind of data.
 *
 *	ip	where the CPU was
 *	ns	time that it stands for
 *	tgid	the process
 *	user	1: in the program, 0: in the kernel
 *	kernel	how many of the addresses in @stack are the kernel's; those of the program follow
 *	end	why the program's part of @stack has no more: a number of enum sample_end
 *	event	the id of the event at which it was taken; 0: it was taken at a time, and stands for @ns
 *	stack	who called, the innermost first; it begins with @ip
 */
#ifndef FATHOM_FORMAT_EVENT_SAMPLE_EVENT_H
#define FATHOM_FORMAT_EVENT_SAMPLE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/event/perf-records.h"

#define SAMPLE_SYSTEM "fathom"
#define SAMPLE_NAME   "sample"
/* Of the buffer in the file. */
#define SAMPLE_BUFFER "samples"
/* Kernels count their ids from below, and none comes near. */
#define SAMPLE_ID 65534

/* More frames than any kernel hands out. */
#define SAMPLE_FRAMES_MAX 256
#define SAMPLE_HEAD	  48
#define SAMPLE_SIZE_MAX	  (SAMPLE_HEAD + 8 * SAMPLE_FRAMES_MAX)

/* Why there are no more callers in the program. The numbers are in files. */
enum sample_end {
	SAMPLE_END_UNTOLD, /* the kernel followed frame pointers as far as there were some */
	SAMPLE_END_WHOLE, /* the outermost function */
	SAMPLE_END_COPY, /* more of the stack was not copied */
	SAMPLE_END_NO_RULES, /* the file does not say how to find the caller */
	SAMPLE_END_NO_FILE, /* no file: code made at run time, or one that could not be opened */
	SAMPLE_END_NOWHERE, /* the caller would be where no code is */
	SAMPLE_END_ROOM, /* an event has room for no more */
	SAMPLE_END_LATE, /* not unwound, as others took too long: frame pointers, as the kernel saw them */
	SAMPLE_END_OTHER_ABI, /* a program of 32 bits: frame pointers */
	SAMPLE_ENDS
};

/* For users, in place of the callers: a few words in brackets. NULL when there is nothing to say. Takes numbers of files. */
const char *sample_end_text(uint64_t end);

/* As the kernel writes it for its events. */
extern const char sample_format[];

/*
 * Writes the call chain of a record, without the marks in it, as at most SAMPLE_FRAMES_MAX addresses. How many,
 * and how many of them are the kernel's, which come first.
 */
uint32_t sample_stack_write(const struct perf_layout *layout, const struct perf_record *record,
			    uint8_t *out, uint32_t *ret_kernel);
/*
 * Writes the event of a sample, in the byte order of its layout, into @out, which has room for
 * SAMPLE_SIZE_MAX. Its size. @ns is the time that it stands for, if it was not taken at an event.
 */
uint32_t sample_event_write(const struct perf_layout *layout, const struct perf_record *record,
			    uint64_t ns, uint8_t *out);
/* Of a sample: the id of the event at which it was taken; 0: none, it was taken at a time. */
uint16_t sample_record_event(const struct perf_layout *layout, const struct perf_record *record);
/* Overwrites the id of the event at which the sample was taken. */
void sample_event_set_event(uint8_t *event, uint16_t id, bool big);
/* In such an event: why the stack ends. */
void sample_event_set_end(uint8_t *event, enum sample_end end, bool big);
/*
 * In such an event: puts @n addresses of the program, those that there is room for, in place of those that it has. Its size.
 */
uint32_t sample_event_set_frames(uint8_t *event, const uint64_t *frames, uint32_t n,
				 enum sample_end end, bool big);

#endif

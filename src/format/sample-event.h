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
 *	stack	who called, the innermost first; it begins with @ip
 */
#ifndef FATHOM_FORMAT_SAMPLE_EVENT_H
#define FATHOM_FORMAT_SAMPLE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/perf-records.h"

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
 * SAMPLE_SIZE_MAX. Its size. @ns is the time that it stands for.
 */
uint32_t sample_event_write(const struct perf_layout *layout, const struct perf_record *record,
			    uint64_t ns, uint8_t *out);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Converts the raw timestamps of a ring buffer to the times that are shown. In this order, as
 * trace-cmd does it: guest clock to host clock, TSC cycles to nanoseconds, offsets. Conversion only
 * reads its parameters and cannot fail; results wrap at 64 bits.
 */
#ifndef FATHOM_FORMAT_TIME_CONVERT_H
#define FATHOM_FORMAT_TIME_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#define TIME_SHIFT_INTERPOLATE 1

/* Applies from @time on: host = (guest * @scaling >> @fraction) + @offset. */
struct time_sample {
	uint64_t time;
	int64_t offset;
	uint64_t scaling;
	uint64_t fraction;
};

struct time_shift_cpu {
	struct time_sample *samples; /* sorted by time, without duplicates; see time_shift_sort() */
	uint32_t count;
};

struct time_shift {
	uint64_t peer; /* trace ID of the host's file */
	uint32_t flags;
	uint32_t n_cpus;
	struct time_shift_cpu *cpus;
};

/* Zero-initialized: no conversion. */
struct time_convert {
	const struct time_shift *shift; /* NULL: none; not owned */
	uint32_t mult; /* 0: the clock is not a TSC */
	uint32_t tsc_shift;
	int64_t offset; /* nanoseconds */
};

/* Sorts the samples of @cpu and drops all but one of each time. */
void time_shift_sort(struct time_shift_cpu *cpu);
uint64_t time_convert_slow(const struct time_convert *convert, uint32_t cpu, uint64_t raw);

static inline bool time_convert_is_plain(const struct time_convert *convert)
{
	return !convert->shift && !convert->mult;
}

static inline uint64_t time_convert(const struct time_convert *convert, uint32_t cpu, uint64_t raw)
{
	if (__builtin_expect(time_convert_is_plain(convert), 1))
		return raw + (uint64_t)convert->offset;
	return time_convert_slow(convert, cpu, raw);
}

#endif

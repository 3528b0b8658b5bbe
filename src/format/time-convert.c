/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/time-convert.h"

#include <stdlib.h>

static int by_time(const void *a, const void *b)
{
	const struct time_sample *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

void time_shift_sort(struct time_shift_cpu *cpu)
{
	uint32_t kept = 0;

	if (!cpu->count)
		return;
	qsort(cpu->samples, cpu->count, sizeof(*cpu->samples), by_time);
	for (uint32_t i = 0; i < cpu->count; i++)
		if (i == 0 || cpu->samples[i].time != cpu->samples[kept - 1].time)
			cpu->samples[kept++] = cpu->samples[i];
	cpu->count = kept;
}

/* Products of nanoseconds exceed 64 bits, hence the 128-bit arithmetic. */
static uint64_t correct(uint64_t time, uint32_t flags, const struct time_sample *min,
			const struct time_sample *max)
{
	__int128 offset = min->offset;
	unsigned __int128 scaled = (unsigned __int128)time * min->scaling;

	if (flags & TIME_SHIFT_INTERPOLATE) {
		__int128 delta = (__int128)max->time - min->time;
		__int128 run = (__int128)time - min->time;
		__int128 rise = (__int128)max->offset - min->offset;
		__int128 product;

		if (delta && !__builtin_mul_overflow(run, rise, &product))
			offset += (product + delta / 2) / delta;
	}
	scaled = min->fraction < 128 ? scaled >> min->fraction : 0;
	return (uint64_t)scaled + (uint64_t)offset;
}

static uint64_t to_host(const struct time_shift *shift, uint32_t cpu, uint64_t time)
{
	const struct time_shift_cpu *c = cpu < shift->n_cpus ? &shift->cpus[cpu] : NULL;
	uint32_t low = 0, high;

	if (!c || !c->count)
		return time;
	if (c->count == 1)
		return time + (uint64_t)c->samples[0].offset;
	/* Find the last sample that has a successor and is not later than @time, or the first. */
	high = c->count - 1;
	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (c->samples[mid].time <= time)
			low = mid;
		else
			high = mid;
	}
	return correct(time, shift->flags, &c->samples[low], &c->samples[low + 1]);
}

uint64_t time_convert_slow(const struct time_convert *convert, uint32_t cpu, uint64_t raw)
{
	if (convert->shift)
		raw = to_host(convert->shift, cpu, raw);
	if (convert->mult) {
		unsigned __int128 product = (unsigned __int128)raw * convert->mult;

		raw = convert->tsc_shift < 128 ? (uint64_t)(product >> convert->tsc_shift) : 0;
	}
	return raw + (uint64_t)convert->offset;
}

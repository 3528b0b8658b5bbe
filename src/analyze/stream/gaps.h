/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gaps, that is, points at which events were lost. The state of anything in progress across a gap
 * is uncertain.
 *
 * Losses are counted per CPU, and tasks migrate. A gap concerns a task if it is on the CPU where
 * the task was last seen, or on the CPU where it is seen now and later than its last event. If a
 * task ran on a third CPU in between and events were lost only there, that goes undetected. Times
 * are in ns. gaps_done() frees the memory and leaves an empty object.
 */
#ifndef FATHOM_ANALYZE_STREAM_GAPS_H
#define FATHOM_ANALYZE_STREAM_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/stream/decoded-event.h"

/* The gaps on one CPU. */
struct gaps_cpu {
	uint64_t count;
	uint64_t first,
		last; /* time of the first event after the first and the last gap; 0: none */
};

/* Empty when zero-initialized. */
struct gaps {
	struct gaps_cpu *cpus;
	size_t n, cap; /* CPUs up to the last one with a gap */
	bool nomem; /* some gaps are missing */
};

/* Where and when a task was last seen, and the number of gaps on that CPU at that time. */
struct gaps_mark {
	uint32_t cpu;
	uint64_t count;
	uint64_t time;
};

/* Call for every event, in chronological order. */
void gaps_note(struct gaps *gaps, const struct decoded_event *decoded);

static inline struct gaps_cpu gaps_at(const struct gaps *gaps, uint32_t cpu)
{
	return cpu < gaps->n ? gaps->cpus[cpu] : (struct gaps_cpu){ 0 };
}

/*
 * Returns whether a gap concerns the task of @mark, which is now seen on @cpu. Moves the mark.
 */
static inline bool gaps_crossed(const struct gaps *gaps, struct gaps_mark *mark, uint32_t cpu,
				uint64_t time)
{
	const struct gaps_cpu there = gaps_at(gaps, mark->cpu), here = gaps_at(gaps, cpu);
	bool crossed = there.count != mark->count || here.last > mark->time;

	*mark = (struct gaps_mark){ .cpu = cpu, .count = here.count, .time = time };
	return crossed;
}

/*
 * Returns the end of the last gap on the CPUs where a task was last seen and where it is now; 0:
 * none.
 */
static inline uint64_t gaps_latest(const struct gaps *gaps, uint32_t was, uint32_t is)
{
	const uint64_t there = gaps_at(gaps, was).last, here = gaps_at(gaps, is).last;

	return there > here ? there : here;
}

/* Returns whether there was a gap on the CPU of @mark since. */
static inline bool gaps_since(const struct gaps *gaps, const struct gaps_mark *mark)
{
	return gaps_at(gaps, mark->cpu).count != mark->count;
}

/*
 * As gaps_crossed() for a trace that is read in parts: @mark is from @gaps, and the task is first
 * seen on @cpu in @next, the part that follows.
 */
bool gaps_between(const struct gaps *gaps, const struct gaps_mark *mark, const struct gaps *next,
		  uint32_t cpu, uint64_t time);
/* Appends the gaps of the part that follows. If memory is exhausted, sets @nomem. */
void gaps_append(struct gaps *gaps, const struct gaps *next);
void gaps_done(struct gaps *gaps);

#endif

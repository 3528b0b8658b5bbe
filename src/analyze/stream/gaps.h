/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gaps: where events were lost. Anything in progress across a gap is in doubt.
 *
 * Losses are counted per CPU, and tasks migrate. A gap concerns a task if it is on the CPU where the task
 * was last seen, or on the CPU where it is seen now and later than its last event. A task that ran on a
 * third CPU in between and lost events only there goes unnoticed.
 */
#ifndef FATHOM_ANALYZE_STREAM_GAPS_H
#define FATHOM_ANALYZE_STREAM_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/stream/decoded-event.h"

/* The gaps of a CPU. */
struct gaps_cpu {
	uint64_t count;
	uint64_t first,
		last; /* time of the first event after the first and the last gap; 0: none */
};

/* Zero-initialised: none. */
struct gaps {
	struct gaps_cpu *cpus;
	size_t n, cap; /* up to the last CPU with a gap */
	bool nomem; /* some are missing */
};

/* Where and when a task was last seen, and the gaps of that CPU by then. */
struct gaps_mark {
	uint32_t cpu;
	uint64_t count;
	uint64_t time;
};

/* To be called with every event. */
void gaps_note(struct gaps *gaps, const struct decoded_event *decoded);

static inline struct gaps_cpu gaps_at(const struct gaps *gaps, uint32_t cpu)
{
	return cpu < gaps->n ? gaps->cpus[cpu] : (struct gaps_cpu){ 0 };
}

/* The task of @mark is seen now, on @cpu. Was there a gap that concerns it since? Moves the mark. */
static inline bool gaps_crossed(const struct gaps *gaps, struct gaps_mark *mark, uint32_t cpu,
				uint64_t time)
{
	const struct gaps_cpu there = gaps_at(gaps, mark->cpu), here = gaps_at(gaps, cpu);
	bool crossed = there.count != mark->count || here.last > mark->time;

	*mark = (struct gaps_mark){ .cpu = cpu, .count = here.count, .time = time };
	return crossed;
}

/* When the last gap ended on the CPU where a task was last seen or the one where it is now; 0: none. */
static inline uint64_t gaps_latest(const struct gaps *gaps, uint32_t was, uint32_t is)
{
	const uint64_t there = gaps_at(gaps, was).last, here = gaps_at(gaps, is).last;

	return there > here ? there : here;
}

/* Was there a gap on the CPU of @mark since? */
static inline bool gaps_since(const struct gaps *gaps, const struct gaps_mark *mark)
{
	return gaps_at(gaps, mark->cpu).count != mark->count;
}

/*
 * The same as gaps_crossed() where a trace was read in parts: @mark is of @gaps, and the task is first seen on
 * @cpu in @next, the part that follows.
 */
bool gaps_between(const struct gaps *gaps, const struct gaps_mark *mark, const struct gaps *next,
		  uint32_t cpu, uint64_t time);
/* Adds those of the part that follows. */
void gaps_append(struct gaps *gaps, const struct gaps *next);
void gaps_done(struct gaps *gaps);

#endif

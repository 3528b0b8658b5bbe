/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/gaps.h"

#include <stdlib.h>

#include "base/mem.h"

#define CPUS_MAX 65536

static struct gaps_cpu *gaps_find(struct gaps *gaps, uint32_t cpu)
{
	if (cpu >= CPUS_MAX ||
	    mem_reserve(&gaps->cpus, &gaps->cap, cpu + (size_t)1, sizeof(*gaps->cpus)) < 0) {
		gaps->nomem = true;
		return NULL;
	}
	while (gaps->n <= cpu)
		gaps->cpus[gaps->n++] = (struct gaps_cpu){ 0 };
	return &gaps->cpus[cpu];
}

void gaps_note(struct gaps *gaps, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;
	struct gaps_cpu *cpu = decoded_has_gap(decoded) ? gaps_find(gaps, event->cpu) : NULL;

	if (!cpu)
		return;
	if (!cpu->count)
		cpu->first = event->time;
	cpu->last = event->time;
	cpu->count++;
}

/* Returns whether there was a gap on @cpu before an event there at @time. */
static bool gaps_before(const struct gaps *gaps, uint32_t cpu, uint64_t time)
{
	const struct gaps_cpu at = gaps_at(gaps, cpu);

	return at.count && at.first <= time;
}

bool gaps_between(const struct gaps *gaps, const struct gaps_mark *mark, const struct gaps *next,
		  uint32_t cpu, uint64_t time)
{
	struct gaps_mark moved = *mark;

	return gaps_crossed(gaps, &moved, cpu, time) || gaps_before(next, mark->cpu, time) ||
	       gaps_before(next, cpu, time);
}

void gaps_append(struct gaps *gaps, const struct gaps *next)
{
	for (size_t i = 0; i < next->n; i++) {
		const struct gaps_cpu *from = &next->cpus[i];
		struct gaps_cpu *cpu = from->count ? gaps_find(gaps, (uint32_t)i) : NULL;

		if (!cpu)
			continue;
		if (!cpu->count)
			cpu->first = from->first;
		cpu->last = from->last;
		cpu->count += from->count;
	}
}

void gaps_done(struct gaps *gaps)
{
	free(gaps->cpus);
	*gaps = (struct gaps){ 0 };
}

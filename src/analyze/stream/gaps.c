/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/gaps.h"

#include <stdlib.h>

#include "base/mem.h"

#define CPUS_MAX 65536

static uint64_t *gaps_find(struct gaps *gaps, uint32_t cpu)
{
	if (cpu >= CPUS_MAX ||
	    mem_reserve(&gaps->lost, &gaps->cap, cpu + (size_t)1, sizeof(uint64_t)) < 0) {
		gaps->nomem = true;
		return NULL;
	}
	for (; gaps->n <= cpu; gaps->n++)
		gaps->lost[gaps->n] = 0;
	return &gaps->lost[cpu];
}

void gaps_note(struct gaps *gaps, const struct fathom_event *event)
{
	uint64_t *lost = event->missed ? gaps_find(gaps, event->cpu) : NULL;

	if (lost)
		++*lost;
}

bool gaps_crossed(struct gaps *gaps, struct gaps_mark *mark, uint32_t cpu)
{
	const uint64_t *now = gaps_find(gaps, cpu);
	bool crossed;

	if (!now)
		return true;
	crossed = mark->cpu >= gaps->n || gaps->lost[mark->cpu] != mark->lost ||
		  (cpu != mark->cpu && *now);
	*mark = (struct gaps_mark){ .cpu = cpu, .lost = *now };
	return crossed;
}

void gaps_done(struct gaps *gaps)
{
	free(gaps->lost);
	*gaps = (struct gaps){ 0 };
}

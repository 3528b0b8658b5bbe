/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where events were lost: what spans such a gap cannot be known to be true. Losses are told
 * by CPU, and a task may have been on another one meanwhile.
 */
#ifndef FATHOM_ANALYZE_STREAM_GAPS_H
#define FATHOM_ANALYZE_STREAM_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/cursor.h>

/* Zero-initialised: none. */
struct gaps {
	uint64_t *lost; /* by CPU: how often */
	size_t n, cap;
	bool nomem; /* some were not noted */
};

/* Where a task was seen last, and what had been lost there by then. */
struct gaps_mark {
	uint32_t cpu;
	uint64_t lost;
};

/* To be called with every event. */
void gaps_note(struct gaps *gaps, const struct fathom_event *event);
/* Moves @mark to @cpu. Were events lost that may have been about its task since it was moved? */
bool gaps_crossed(struct gaps *gaps, struct gaps_mark *mark, uint32_t cpu);
void gaps_done(struct gaps *gaps);

#endif

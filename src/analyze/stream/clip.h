/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A time range of a trace in ns, and its overlap with intervals. A zero-initialized range contains
 * everything.
 */
#ifndef FATHOM_ANALYZE_STREAM_CLIP_H
#define FATHOM_ANALYZE_STREAM_CLIP_H

#include <stdbool.h>
#include <stdint.h>

#include <fathom/cursor.h>

struct clip {
	uint64_t from, to; /* both inclusive; @to 0: no end */
};

static inline struct clip clip_of(const struct fathom_window *window)
{
	return (struct clip){ window->from, window->to };
}

static inline bool clip_has(const struct clip *clip, uint64_t time)
{
	return time >= clip->from && (!clip->to || time <= clip->to);
}

/* Returns whether the interval and the range have at least an instant in common. */
static inline bool clip_touches(const struct clip *clip, uint64_t start, uint64_t end)
{
	return end >= clip->from && (!clip->to || start <= clip->to);
}

/* Returns the length of the part of the interval that is inside. */
static inline uint64_t clip_length(const struct clip *clip, uint64_t start, uint64_t end)
{
	if (start < clip->from)
		start = clip->from;
	if (clip->to && end > clip->to)
		end = clip->to;
	return end > start ? end - start : 0;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A window of a trace, and what of a span of time is inside of it. Zero-initialised: all of it is. */
#ifndef FATHOM_ANALYZE_STREAM_CLIP_H
#define FATHOM_ANALYZE_STREAM_CLIP_H

#include <stdbool.h>
#include <stdint.h>

#include <fathom/cursor.h>

struct clip {
	uint64_t from, to; /* both are inside; @to: 0: no end */
};

static inline struct clip clip_of(const struct fathom_window *window)
{
	return (struct clip){ window->from, window->to };
}

static inline bool clip_has(const struct clip *clip, uint64_t time)
{
	return time >= clip->from && (!clip->to || time <= clip->to);
}

/* Is a part of it inside, or an end of it? */
static inline bool clip_touches(const struct clip *clip, uint64_t start, uint64_t end)
{
	return end >= clip->from && (!clip->to || start <= clip->to);
}

/* How much of it is inside. */
static inline uint64_t clip_length(const struct clip *clip, uint64_t start, uint64_t end)
{
	if (start < clip->from)
		start = clip->from;
	if (clip->to && end > clip->to)
		end = clip->to;
	return end > start ? end - start : 0;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where large texts go: one buffer, written to a file descriptor when it is nearly
 * full. A line has SINK_LINE_MAX bytes of room after sink_flush_if_full().
 */
#ifndef FATHOM_RENDER_KIT_SINK_H
#define FATHOM_RENDER_KIT_SINK_H

#include "base/text.h"
#include "render/kit/printable.h"

#define SINK_LINE_MAX ((size_t)1 << 20)
#define SINK_FULL     ((size_t)128 << 10)

struct sink {
	int fd;
	const struct printable *printable; /* through which it is written; NULL: as it is */
	int err; /* 0 or the first negative errno; nothing is written after it */
	struct text text; /* what is to be written */
};

int sink_init(struct sink *sink, int fd);
/* Writes what is there; does not flush by itself when it is dropped. */
void sink_flush(struct sink *sink);
void sink_done(struct sink *sink);

static inline void sink_flush_if_full(struct sink *sink)
{
	if (text_len(&sink->text) > SINK_FULL)
		sink_flush(sink);
}

#endif

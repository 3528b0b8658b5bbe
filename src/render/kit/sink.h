/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A buffer for large output that is written to a file descriptor when it is nearly full. After
 * sink_flush_if_full() there is room for SINK_LINE_MAX bytes; longer lines are cut. The descriptor
 * remains the caller's. Not thread-safe.
 */
#ifndef FATHOM_RENDER_KIT_SINK_H
#define FATHOM_RENDER_KIT_SINK_H

#include "base/text.h"
#include "render/kit/printable.h"

#define SINK_LINE_MAX ((size_t)1 << 20)
#define SINK_FULL     ((size_t)128 << 10)

struct sink {
	int fd;
	const struct printable *printable; /* the filter; NULL: none */
	int err; /* 0, or the first negative errno, after which nothing is written */
	struct text text; /* output not yet written */
};

int sink_init(struct sink *sink, int fd);
/* Writes the contents; sets @err on failure. sink_done() does not flush. */
void sink_flush(struct sink *sink);
void sink_done(struct sink *sink);

static inline void sink_flush_if_full(struct sink *sink)
{
	if (text_len(&sink->text) > SINK_FULL)
		sink_flush(sink);
}

#endif

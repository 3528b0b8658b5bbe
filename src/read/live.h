/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace that is fed while it is read. Its metadata comes from a file as usual; its streams are
 * queues of pages that the caller fills, and that are released after the reader has passed them.
 * Cursors end at the last page added, and continue from there when they are resumed. Not
 * thread-safe.
 */
#ifndef FATHOM_READ_LIVE_H
#define FATHOM_READ_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/block-ring.h"
#include "read/lookahead.h"
#include "read/trace.h"

struct live_stream {
	size_t buffer; /* its number, as of fathom_trace_buffer() */
	uint32_t cpu;
};

/*
 * Replaces the streams of @trace by these; must be called before it has cursors. The queues hold
 * @memory bytes in total, but at least LIVE_PAGES_MIN pages each. Returns 0 or a negative errno;
 * after a failure, the trace can only be freed.
 */
int live_init(struct fathom_trace *trace, const struct live_stream *streams, size_t n,
	      size_t memory, struct fathom_err *err);
#define LIVE_PAGES_MIN 4
#define LIVE_PAGES_MAX 512

/* Returns the queue of the i-th stream, owned by the trace. Blocks are pages. */
struct block_ring *live_queue(struct fathom_trace *trace, size_t i);

/*
 * Continues with events added since @lookahead reached its end, up to the time @to. Events that are
 * added later must not be earlier than @to. Returns 0 or a negative errno.
 */
int live_resume(struct lookahead *lookahead, uint64_t to);
/* Releases the pages that @lookahead has passed. */
void live_release(struct fathom_trace *trace, const struct lookahead *lookahead);

/* Called by fathom_trace_free(). */
void live_done(struct fathom_trace *trace);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace whose pages come while it is read. What describes it is a file as always; its
 * streams are queues of pages that somebody fills, and that are let go of behind the
 * reader. Cursors come to an end at what is there, and go on from it when they are resumed.
 * All of it belongs to one thread.
 */
#ifndef FATHOM_READ_LIVE_H
#define FATHOM_READ_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/block-ring.h"
#include "read/lookahead.h"
#include "read/trace.h"

struct live_stream {
	size_t buffer; /* its number, as in fathom_trace_buffer() */
	uint32_t cpu;
};

/*
 * Gives @trace these streams in place of those of the file; before it has cursors. The
 * queues hold @memory bytes altogether, but at least LIVE_PAGES_MIN pages each.
 */
int live_init(struct fathom_trace *trace, const struct live_stream *streams, size_t n,
	      size_t memory, struct fathom_err *err);
#define LIVE_PAGES_MIN 4
#define LIVE_PAGES_MAX 512

/* The queue of the i-th stream; the trace keeps it. Blocks are pages. */
struct block_ring *live_queue(struct fathom_trace *trace, size_t i);

/*
 * @lookahead has come to its end: it goes on with what was added meanwhile, up to the time
 * @to. No event that is added later may be earlier than that. 0 or a negative errno.
 */
int live_resume(struct lookahead *lookahead, uint64_t to);
/* Lets go of the pages that @lookahead has left behind. */
void live_release(struct fathom_trace *trace, const struct lookahead *lookahead);

/* For fathom_trace_free(). */
void live_done(struct fathom_trace *trace);

#endif

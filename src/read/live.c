/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/live.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "read/cursor.h"

struct live {
	struct trace_cpu *cpus; /* of the streams; without data in the file */
	struct block_ring *queues;
	size_t n;
};

static int make_queues(struct live *live, const struct fathom_trace *trace, size_t memory)
{
	for (; live->n < trace->n_streams; live->n++) {
		size_t page = trace->streams[live->n].buffer->layout.size;
		size_t pages = memory / trace->n_streams / page;

		if (pages < LIVE_PAGES_MIN)
			pages = LIVE_PAGES_MIN;
		if (pages > LIVE_PAGES_MAX)
			pages = LIVE_PAGES_MAX;
		if (block_ring_init(&live->queues[live->n], page, pages) < 0)
			return -ENOMEM;
		trace->streams[live->n].fed = &live->queues[live->n];
	}
	return 0;
}

static int live_make_streams(struct fathom_trace *trace, const struct live_stream *streams,
			     size_t n, struct live *live, struct fathom_err *err)
{
	struct trace_stream *list = mem_zalloc(n, sizeof(*list));

	live->cpus = mem_zalloc(n, sizeof(*live->cpus));
	live->queues = mem_zalloc(n, sizeof(*live->queues));
	free(trace->streams);
	trace->streams = list;
	trace->n_streams = 0;
	if (!list || !live->cpus || !live->queues)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		struct trace_buffer *buffer;

		if (streams[i].buffer >= trace->file.n_buffers)
			return err_set(err, -EINVAL, "no buffer %zu", streams[i].buffer);
		buffer = &trace->file.buffers[trace->buffer_order[streams[i].buffer]];
		live->cpus[i] = (struct trace_cpu){ .cpu = streams[i].cpu };
		list[i] = (struct trace_stream){ .buffer = buffer,
						 .cpu = &live->cpus[i],
						 .number = (uint16_t)streams[i].buffer };
	}
	trace->n_streams = n;
	return 0;
}

int live_init(struct fathom_trace *trace, const struct live_stream *streams, size_t n,
	      size_t memory, struct fathom_err *err)
{
	struct live *live = mem_zalloc(1, sizeof(*live));
	int r;

	if (!live)
		return err_nomem(err);
	trace->live = live;
	r = live_make_streams(trace, streams, n, live, err);
	if (r == 0 && make_queues(live, trace, memory) < 0)
		r = err_nomem(err);
	return r;
}

void live_done(struct fathom_trace *trace)
{
	struct live *live = trace->live;

	if (!live)
		return;
	for (size_t i = 0; i < live->n; i++)
		block_ring_done(&live->queues[i]);
	free(live->queues);
	free(live->cpus);
	free(live);
	trace->live = NULL;
}

struct block_ring *live_queue(struct fathom_trace *trace, size_t i)
{
	return &trace->live->queues[i];
}

int live_resume(struct lookahead *lookahead, uint64_t to)
{
	int r = cursor_resume(lookahead->cursor, to);

	/* Cursors created later must see the same events as the others. */
	lookahead->window.to = to;
	for (size_t i = 0; i < lookahead->n_buffers && r == 0; i++)
		if (lookahead->buffers[i].ahead)
			r = cursor_resume(lookahead->buffers[i].ahead, to);
	return r;
}

void live_release(struct fathom_trace *trace, const struct lookahead *lookahead)
{
	const struct fathom_cursor *cursor = lookahead->cursor;
	size_t k = 0;

	/* The cursor has some of the streams, in order; the others are not read. */
	for (size_t i = 0; i < trace->n_streams; i++) {
		uint64_t needed = UINT64_MAX;

		if (k < cursor->n_streams && cursor->streams[k].of == &trace->streams[i])
			needed = cursor->streams[k++].page_no;
		block_ring_drop(&trace->live->queues[i], needed);
	}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removes the holes between the data of CPUs. Ranges are collapsed if the file system supports it;
 * otherwise data are copied down. A concurrent reader, or one after we were killed, finds every
 * CPU: the hole is recorded in the state before it is removed, and the size of the file shows
 * whether it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "record/file/trace-out-parts.h"

#define COPY_SIZE ((size_t)1 << 20)

static int trace_pack_collapse(struct trace_out *out, uint64_t hole, uint64_t size)
{
	struct stat st;

	if (fstat(out->fd, &st) < 0)
		return negative_errno();
	out->state.hole = hole;
	out->state.hole_size = size;
	out->state.size_before = (uint64_t)st.st_size;
	if (trace_out_put_options(out) < 0)
		return -EIO;
	if (fallocate(out->fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)hole, (off_t)size) < 0)
		return negative_errno();
	return 0;
}

static int copy_by_hand(int fd, uint64_t from, uint64_t to, uint64_t size, void *buf)
{
	while (size) {
		size_t want = size < COPY_SIZE ? (size_t)size : COPY_SIZE;
		ssize_t n = pread(fd, buf, want, (off_t)from);
		int r;

		if (n <= 0)
			return n < 0 ? negative_errno() : -EIO;
		r = trace_out_pwrite(fd, buf, (size_t)n, to);
		if (r < 0)
			return r;
		from += (uint64_t)n;
		to += (uint64_t)n;
		size -= (uint64_t)n;
	}
	return 0;
}

/* The two ranges do not overlap. */
static int copy_down(int fd, uint64_t from, uint64_t to, uint64_t size)
{
	_cleanup_free_ void *buf = NULL;
	off64_t in = (off64_t)from, to_off = (off64_t)to;

	while (size) {
		ssize_t n = copy_file_range(fd, &in, fd, &to_off, size, 0);

		if (n <= 0)
			break;
		size -= (uint64_t)n;
	}
	if (!size)
		return 0;
	buf = mem_alloc(COPY_SIZE);
	if (!buf)
		return -ENOMEM;
	return copy_by_hand(fd, (uint64_t)in, (uint64_t)to_off, size, buf);
}

/* Frees the blocks; otherwise they are wasted until the file is truncated. */
static void punch(int fd, uint64_t offset, uint64_t size)
{
	(void)!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
			 (off_t)size);
}

/* Moves the data of stream @i to @end, in one way or the other. */
static int close_gap(struct trace_out *out, size_t i, uint64_t end, struct trace_out_result *result)
{
	struct trace_out_stream *stream = &out->streams[i];
	uint64_t gap = stream->start - end, old = stream->start;
	int r = result->copied ? -EOPNOTSUPP : trace_pack_collapse(out, end, gap);

	if (r == 0) {
		for (size_t k = i; k < out->n_streams; k++)
			out->streams[k].start -= gap;
	} else {
		result->reason = r;
		if (stream->size > gap)
			return -EOVERFLOW;
		r = copy_down(out->fd, old, end, stream->size);
		if (r < 0)
			return r;
		result->copied += stream->size;
		stream->start = end;
	}
	out->state.hole = out->state.hole_size = out->state.size_before = 0;
	r = trace_out_put_options(out);
	if (r == 0 && result->copied)
		punch(out->fd, old, stream->size);
	return r;
}

int trace_out_pack(struct trace_out *out, uint64_t *ret_end, struct trace_out_result *result)
{
	uint64_t end = out->data;
	int r;

	out->state.stage = TRACE_PACKING;
	r = trace_out_put_options(out);
	if (r < 0)
		return r;
	for (size_t i = 0; i < out->n_streams; i++) {
		struct trace_out_stream *stream = &out->streams[i];

		if (!stream->size)
			continue;
		if (stream->start > end && !result->holes) {
			r = close_gap(out, i, end, result);
			if (r < 0)
				result->reason = r;
		}
		if (stream->start > end)
			result->holes += stream->start - end;
		end = stream->start + stream->size;
		result->data += stream->size;
	}
	*ret_end = end;
	return ftruncate(out->fd, (off_t)end) < 0 ? negative_errno() : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output of a trace.dat: buffers encoded data, writes and copies bytes. */
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "format/bytes.h"
#include "write/trace-dat-parts.h"

#define COPY_SIZE ((size_t)1 << 20)
#define MAP_SIZE  4096 /* minimum alignment of a mapping's offset */

static int write_at(struct dat_out *out, const void *bytes, size_t size, uint64_t at)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pwrite(out->fd, (const char *)bytes + done, size - done,
				   (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set_errno(out->err, n < 0 ? negative_errno() : -EIO,
					     "cannot write the trace");
		done += (size_t)n;
	}
	return 0;
}

int dat_flush(struct dat_out *out)
{
	struct trace_encoder *e = &out->e;
	int r;

	if (e->out.err)
		return err_nomem(out->err);
	if (!e->out.len)
		return 0;
	r = write_at(out, e->out.s, e->out.len, e->base);
	e->base += e->out.len;
	strbuf_clear(&e->out);
	return r;
}

int dat_append(struct dat_out *out, const void *bytes, size_t size)
{
	int r = dat_flush(out);

	if (r == 0)
		r = write_at(out, bytes, size, out->e.base);
	out->e.base += size;
	return r;
}

int dat_skip(struct dat_out *out, uint64_t size)
{
	int r = dat_flush(out);

	out->e.base += size;
	return r;
}

int dat_align(struct dat_out *out, uint32_t page_size)
{
	uint64_t to = page_size % MAP_SIZE ? MAP_SIZE : page_size, over = dat_pos(out) % to;

	return dat_skip(out, over ? to - over : 0);
}

/* Copies inside the kernel as far as possible. *@done is the number of bytes copied. */
static void copy_inside(struct dat_out *out, int fd, uint64_t offset, uint64_t size, uint64_t *done)
{
	while (*done < size) {
		off_t from = (off_t)(offset + *done), to = (off_t)(out->e.base + *done);
		ssize_t n = copy_file_range(fd, &from, out->fd, &to, (size_t)(size - *done), 0);

		if (n < 0 && errno == EINTR)
			continue;
		/* Let copy_through() determine the error. */
		if (n <= 0)
			return;
		*done += (uint64_t)n;
	}
}

int dat_read_range(struct dat_out *out, int fd, uint64_t offset, void *buf, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(fd, (char *)buf + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set_errno(out->err, negative_errno(), "cannot read the trace");
		if (n == 0)
			return err_set(out->err, -EIO,
				       "the trace file was truncated while being read");
		done += (size_t)n;
	}
	return 0;
}

static int copy_through(struct dat_out *out, int fd, uint64_t offset, uint64_t size, uint64_t done)
{
	_cleanup_free_ uint8_t *buf = NULL;
	int r = 0;

	if (done == size)
		return 0;
	buf = mem_alloc(size - done < COPY_SIZE ? (size_t)(size - done) : COPY_SIZE);
	if (!buf)
		return err_nomem(out->err);
	while (done < size && r == 0) {
		size_t want = size - done < COPY_SIZE ? (size_t)(size - done) : COPY_SIZE;

		r = dat_read_range(out, fd, offset + done, buf, want);
		if (r == 0)
			r = write_at(out, buf, want, out->e.base + done);
		done += want;
	}
	return r;
}

int dat_append_range(struct dat_out *out, int fd, uint64_t offset, uint64_t size)
{
	uint64_t done = 0;
	int r = dat_flush(out);

	if (r < 0)
		return r;
	copy_inside(out, fd, offset, size, &done);
	r = copy_through(out, fd, offset, size, done);
	out->e.base += size;
	return r;
}

int dat_patch_u32(struct dat_out *out, uint64_t at, uint32_t v)
{
	uint8_t bytes[sizeof(v)];

	if (at >= out->e.base) {
		trace_encode_patch_u32(&out->e, at, v);
		return 0;
	}
	store_u32(bytes, v, out->e.big_endian);
	return write_at(out, bytes, sizeof(bytes), at);
}

int dat_patch_u64(struct dat_out *out, uint64_t at, uint64_t v)
{
	uint8_t bytes[sizeof(v)];

	if (at >= out->e.base) {
		trace_encode_patch_u64(&out->e, at, v);
		return 0;
	}
	store_u64(bytes, v, out->e.big_endian);
	return write_at(out, bytes, sizeof(bytes), at);
}

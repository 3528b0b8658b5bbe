/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/file/trace-out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "record/file/trace-out-parts.h"

int trace_out_checkpoint(struct trace_out *out)
{
	int r;

	pthread_mutex_lock(&out->lock);
	r = trace_out_put_rows(out);
	pthread_mutex_unlock(&out->lock);
	return r;
}

int trace_out_append(struct trace_out_stream *stream, const void *page)
{
	uint64_t size = atomic_load_explicit(&stream->size, memory_order_relaxed);
	int r;

	if (size + stream->page_size > stream->limit)
		return -EFBIG;
	r = trace_out_pwrite(stream->fd, page, stream->page_size, stream->start + size);
	if (r < 0)
		return r;
	atomic_store_explicit(&stream->size, size + stream->page_size, memory_order_release);
	return trace_out_trim(stream);
}

/* Update the file first, because it must not count pages that are gone. */
int trace_out_drop(struct trace_out_stream *stream, uint64_t drop)
{
	struct trace_out *out = stream->out;
	uint64_t size = stream->size, start = stream->start;
	int r;

	drop = drop / stream->page_size * stream->page_size;
	if (!drop || drop > size)
		return 0;
	pthread_mutex_lock(&out->lock);
	stream->size = size - drop;
	stream->start = start + drop;
	stream->limit -= drop;
	r = trace_out_put_rows(out);
	pthread_mutex_unlock(&out->lock);
	if (r == 0 && fallocate(out->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)start,
				(off_t)drop) < 0)
		r = errno == EOPNOTSUPP ? 0 : negative_errno();
	return r;
}

static int copy_options(struct trace_out *out, const struct trace_out_spec *spec)
{
	out->options = mem_zalloc(spec->n_options, sizeof(*out->options));
	if (!out->options)
		return -ENOMEM;
	for (size_t i = 0; i < spec->n_options; i++) {
		void *data = mem_dup(spec->options[i].data, spec->options[i].size);

		if (!data)
			return -ENOMEM;
		out->options[i] = (struct trace_out_option){ spec->options[i].id, data,
							     spec->options[i].size };
		out->n_options = i + 1;
	}
	return 0;
}

static int trace_out_copy_buffers(struct trace_out *out, const struct trace_out_spec *spec)
{
	size_t n = 0;

	out->buffers = mem_zalloc(spec->n_buffers, sizeof(*out->buffers));
	if (!out->buffers)
		return -ENOMEM;
	out->n_buffers = spec->n_buffers;
	for (size_t i = 0; i < spec->n_buffers; i++) {
		struct out_buffer *buffer = &out->buffers[i];

		buffer->name = mem_strdup(spec->buffers[i].name);
		buffer->clock = mem_strdup(spec->buffers[i].clock);
		if (!buffer->name || !buffer->clock)
			return -ENOMEM;
		buffer->page_size = spec->buffers[i].page_size;
		buffer->first = n;
		buffer->n = spec->buffers[i].n_cpus;
		n += buffer->n;
	}
	out->streams = mem_zalloc(n, sizeof(*out->streams));
	if (!out->streams)
		return -ENOMEM;
	out->n_streams = n;
	for (size_t i = 0, k = 0; i < spec->n_buffers; i++)
		for (size_t c = 0; c < spec->buffers[i].n_cpus; c++, k++) {
			out->streams[k].fd = out->fd;
			out->streams[k].cpu = spec->buffers[i].cpus[c];
			out->streams[k].page_size = spec->buffers[i].page_size;
			out->streams[k].out = out;
		}
	return 0;
}

struct trace_out *trace_out_alloc(int fd)
{
	struct trace_out *out = mem_zalloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->fd = fd;
	pthread_mutex_init(&out->lock, NULL);
	return out;
}

int trace_out_new(int fd, const struct trace_out_spec *spec, struct trace_out **ret_out,
		  struct fathom_err *err)
{
	_cleanup_trace_out_ struct trace_out *out = trace_out_alloc(fd);
	int r;

	if (!out)
		return err_nomem(err);
	out->state.stage = TRACE_RECORDING;
	r = copy_options(out, spec);
	if (r == 0)
		r = trace_out_copy_buffers(out, spec);
	if (r == 0)
		r = trace_out_put_front(out, spec);
	if (r < 0)
		return err_set_errno(err, r, "cannot write the header of the recording");
	*ret_out = TAKE_PTR(out);
	return 0;
}

void trace_out_free(struct trace_out *out)
{
	if (!out)
		return;
	for (size_t i = 0; i < out->n_options; i++)
		free((void *)out->options[i].data);
	for (size_t i = 0; i < out->n_buffers; i++) {
		free(out->buffers[i].name);
		free(out->buffers[i].clock);
	}
	free(out->options);
	free(out->buffers);
	free(out->streams);
	pthread_mutex_destroy(&out->lock);
	free(out);
}

struct trace_out_stream *trace_out_streams(struct trace_out *out, size_t *ret_n)
{
	*ret_n = out->n_streams;
	return out->streams;
}

int trace_out_finish(struct trace_out *out, const struct trace_out_section *sections,
		     size_t n_sections, const struct trace_out_option *options, size_t n_options,
		     struct trace_out_result *ret_result, struct fathom_err *err)
{
	uint64_t end;
	int r;

	*ret_result = (struct trace_out_result){ 0 };
	r = trace_out_pack(out, &end, ret_result);
	if (r < 0)
		return err_set_errno(err, r, "cannot assemble the recording");
	r = trace_out_put_tail(out, end, sections, n_sections, options, n_options,
			       &ret_result->size);
	return r < 0 ? err_set_errno(err, r, "cannot finish the recording") : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "grow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/mem.h"
#include "format/bytes.h"
#include "read/trace.h"
#include "record/file/trace-out.h"

#define STREAMS_MAX 64

struct grow {
	int fd;
	struct fathom_trace *trace;
	struct trace_out *out;
	uint64_t done[STREAMS_MAX]; /* bytes of each stream */
	uint64_t first, last; /* times of pages */
};

static uint64_t page_time(const struct fathom_trace *trace, uint64_t offset)
{
	uint8_t bytes[8] = { 0 };

	(void)!pread(trace->source.fd, bytes, sizeof(bytes), (off_t)offset);
	return load_u64(bytes, trace->file.big_endian);
}

/* The first and last times of all pages. */
static void find_times(struct grow *grow)
{
	grow->first = UINT64_MAX;
	for (size_t i = 0; i < grow->trace->n_streams; i++) {
		const struct trace_cpu *cpu = grow->trace->streams[i].cpu;
		uint32_t page = grow->trace->streams[i].buffer->layout.size;
		uint64_t first = page_time(grow->trace, cpu->offset);
		uint64_t last = page_time(grow->trace, cpu->offset + cpu->size - page);

		grow->first = first < grow->first ? first : grow->first;
		grow->last = last > grow->last ? last : grow->last;
	}
}

static int begin(struct grow *grow, struct fathom_err *err)
{
	const struct trace_file *file = &grow->trace->file;
	struct trace_out_section sections[TRACE_SECTION_IDS];
	struct trace_out_option options[64];
	uint32_t cpus[STREAMS_MAX];
	struct trace_out_buffer buffer = { .name = "", .clock = "local", .cpus = cpus };
	struct trace_out_spec spec = { .page_size = file->page_size,
				       .sections = sections,
				       .options = options,
				       .buffers = &buffer,
				       .n_buffers = 1 };

	for (unsigned id = 0; id < TRACE_SECTION_IDS; id++) {
		struct trace_out_section *section = &sections[spec.n_sections];

		if (!file->section_at[id] || id == TRACE_ID_STRINGS)
			continue;
		section->id = (uint16_t)id;
		if (trace_section_load(grow->trace, id, (const char **)&section->body,
				       &section->size, err) < 0)
			return err->code;
		spec.n_sections++;
	}
	for (size_t i = 0; i < file->n_options && spec.n_options < 64; i++) {
		const struct trace_option *option = &file->options[i];

		if (!option->data || option->id == TRACE_ID_BUFFER ||
		    (option->id < TRACE_SECTION_IDS && file->section_at[option->id]))
			continue;
		options[spec.n_options++] =
			(struct trace_out_option){ option->id, option->data, option->size };
	}
	for (size_t i = 0; i < grow->trace->n_streams; i++)
		cpus[buffer.n_cpus++] = grow->trace->streams[i].cpu->cpu;
	buffer.page_size = grow->trace->streams[0].buffer->layout.size;
	return trace_out_new(grow->fd, &spec, &grow->out, err);
}

int grow_new(const char *from, const char *to, struct grow **ret_grow, struct fathom_err *err)
{
	struct grow *grow = mem_zalloc(1, sizeof(*grow));
	int r;

	if (!grow)
		return -ENOMEM;
	unlink(to);
	grow->fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	r = grow->fd < 0 || flock(grow->fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
	if (r == 0)
		r = fathom_trace_open(from, 0, &grow->trace, err);
	if (r == 0 && (!grow->trace->n_streams || grow->trace->n_streams > STREAMS_MAX ||
		       grow->trace->file.n_buffers != 1 || grow->trace->streams[0].chunks))
		r = -EINVAL;
	if (r == 0)
		r = begin(grow, err);
	if (r < 0) {
		grow_free(grow);
		return r;
	}
	find_times(grow);
	*ret_grow = grow;
	return 0;
}

int grow_until(struct grow *grow, unsigned part)
{
	uint64_t end = grow->first + (grow->last - grow->first) / 100 * part;
	size_t n;
	struct trace_out_stream *streams = trace_out_streams(grow->out, &n);
	_cleanup_free_ char *page = mem_alloc(streams[0].page_size);
	int r = page ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && r == 0; i++) {
		const struct trace_cpu *cpu = grow->trace->streams[i].cpu;

		for (; grow->done[i] < cpu->size && r == 0; grow->done[i] += streams[i].page_size) {
			uint64_t at = cpu->offset + grow->done[i];

			if (part < 100 && page_time(grow->trace, at) >= end)
				break;
			if (source_read(&grow->trace->source, at, page, streams[i].page_size) !=
			    streams[i].page_size)
				r = -EIO;
			if (r == 0)
				r = trace_out_append(&streams[i], page);
		}
	}
	return r < 0 ? r : trace_out_checkpoint(grow->out);
}

int grow_end(struct grow *grow)
{
	struct trace_out_result result;
	int r = trace_out_finish(grow->out, NULL, 0, NULL, 0, &result, NULL);

	flock(grow->fd, LOCK_UN);
	return r;
}

void grow_free(struct grow *grow)
{
	if (!grow)
		return;
	trace_out_free(grow->out);
	fathom_trace_free(grow->trace);
	/* A process forked in the meantime may also have the descriptor. */
	if (grow->fd >= 0) {
		flock(grow->fd, LOCK_UN);
		close(grow->fd);
	}
	free(grow);
}

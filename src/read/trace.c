/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/files/plain-file.h"
#include "read/live.h"

/*
 * The top-level buffer first, then the others in the order of the file, as trace-cmd numbers them.
 */
static int order_buffers(struct fathom_trace *trace)
{
	size_t n = 0;

	trace->buffer_order = mem_zalloc(trace->file.n_buffers, sizeof(*trace->buffer_order));
	trace->texts = mem_zalloc(trace->file.n_buffers, sizeof(*trace->texts));
	if (!trace->buffer_order || !trace->texts)
		return -ENOMEM;
	for (int top = 1; top >= 0; top--)
		for (size_t i = 0; trace->file.buffers && i < trace->file.n_buffers; i++)
			if ((trace->file.buffers[i].name[0] == '\0') == top)
				trace->buffer_order[n++] = (uint32_t)i;
	return 0;
}

static int make_chunk_indexes(struct fathom_trace *trace)
{
	size_t marks, n = 0;

	for (size_t i = 0; i < trace->n_streams; i++)
		trace->n_chunks += trace->streams[i].buffer->compressed;
	if (!trace->n_chunks)
		return 0;
	trace->chunks = mem_zalloc(trace->n_chunks, sizeof(*trace->chunks));
	if (!trace->chunks)
		return -ENOMEM;
	marks = TRACE_CHUNK_MARKS / trace->n_chunks;
	if (marks > 16384)
		marks = 16384;
	for (size_t i = 0; i < trace->n_streams; i++) {
		struct trace_stream *stream = &trace->streams[i];

		if (!stream->buffer->compressed)
			continue;
		stream->chunks = &trace->chunks[n++];
		chunk_index_init(stream->chunks, stream->cpu->offset, trace->source.size,
				 trace->file.big_endian, marks < 64 ? 64 : marks);
	}
	return 0;
}

static int trace_make_streams(struct fathom_trace *trace)
{
	size_t n = 0;

	for (size_t i = 0; i < trace->file.n_buffers; i++)
		n += trace->file.buffers[i].n_cpus;
	trace->streams = mem_zalloc(n, sizeof(*trace->streams));
	if (!trace->streams)
		return -ENOMEM;
	for (size_t i = 0; i < trace->file.n_buffers; i++) {
		struct trace_buffer *buffer = &trace->file.buffers[trace->buffer_order[i]];

		for (uint32_t k = 0; k < buffer->n_cpus; k++)
			trace->streams[trace->n_streams++] = (struct trace_stream){
				.buffer = buffer,
				.cpu = &buffer->cpus[k],
				.number = (uint16_t)i,
			};
	}
	return make_chunk_indexes(trace);
}

static void fill_info(struct fathom_trace *trace)
{
	const struct trace_file *file = &trace->file;
	uint32_t cpus = file->n_cpus <= TRACE_CPUS_MAX ? file->n_cpus : 0;

	for (size_t i = 0; i < trace->n_streams; i++)
		if (trace->streams[i].cpu->cpu >= cpus)
			cpus = trace->streams[i].cpu->cpu + 1;
	trace->info = (struct fathom_trace_info){
		.file_size = trace->source.size,
		.version = file->version,
		.big_endian = file->big_endian,
		.user_long_size = file->user_long_size,
		.kernel_long_size = file->layout.commit_size,
		.page_size = file->page_size,
		.cpus = cpus,
		.buffers = (unsigned)file->n_buffers,
		.guests = (unsigned)file->n_guests,
		.compression = file->compression_name,
		.compression_version = file->compression_version,
		.clock = file->clock,
		.uname = file->uname,
		.tracer = file->tracer_version,
		.trace_id = file->trace_id,
		.peer_trace_id = file->shift ? file->shift->peer : 0,
		.date_offset = file->date_offset,
		.time_offset = file->ts_offset,
		.tsc_mult = file->tsc_mult,
		.tsc_shift = file->tsc_shift,
		.unfinished = file->state.stage != TRACE_FINISHED,
	};
}

static int trace_new(struct source *source, unsigned flags, struct fathom_trace **ret_trace,
		     struct fathom_err *err)
{
	struct fathom_trace *trace = mem_zalloc(1, sizeof(*trace));
	unsigned parse = (flags & FATHOM_OPEN_RAW_TIME ? TRACE_PARSE_RAW_TIME : 0) |
			 (flags & FATHOM_OPEN_NO_DATE ? TRACE_PARSE_NO_DATE : 0);
	struct view view;
	int r;

	if (!trace) {
		source_done(source);
		return err_nomem(err);
	}
	trace->source = *source;
	view = source_view(&trace->source);
	r = trace_file_init(&trace->file, &view, parse, err);
	if (r < 0) {
		source_done(&trace->source);
		free(trace);
		return r;
	}
	pthread_mutex_init(&trace->lock, NULL);
	*ret_trace = trace;
	return 0;
}

static int open_fd(int fd, unsigned how, unsigned flags, struct fathom_trace **ret_trace,
		   struct fathom_err *err)
{
	_cleanup_(fathom_trace_free_p) struct fathom_trace *trace = NULL;
	struct source source;
	int r = source_init(&source, fd, how | (flags & FATHOM_OPEN_NO_MAP ? SOURCE_NO_MAP : 0),
			    err);

	if (r == 0)
		r = trace_new(&source, flags, &trace, err);
	if (r < 0 || !trace)
		return r;
	r = order_buffers(trace);
	if (r == 0)
		r = trace_make_streams(trace);
	if (r == 0)
		r = trace_find_common(trace);
	if (r < 0)
		return err_nomem(err);
	fill_info(trace);
	*ret_trace = TAKE_PTR(trace);
	return 0;
}

int fathom_trace_open_fd(int fd, unsigned flags, struct fathom_trace **ret_trace,
			 struct fathom_err *err)
{
	return open_fd(fd, 0, flags, ret_trace, err);
}

int trace_open_kept_fd(int fd, unsigned flags, struct fathom_trace **ret_trace,
		       struct fathom_err *err)
{
	return open_fd(fd, SOURCE_KEEP_FD, flags, ret_trace, err);
}

int fathom_trace_open(const char *path, unsigned flags, struct fathom_trace **ret_trace,
		      struct fathom_err *err)
{
	int fd = plain_file_open(path, err);
	int r;

	if (fd < 0)
		return fd;
	r = fathom_trace_open_fd(fd, flags, ret_trace, err);
	if (r < 0)
		err_prefix(err, "cannot read '%s'", path);
	return r;
}

void fathom_trace_free(struct fathom_trace *trace)
{
	if (!trace)
		return;
	for (size_t i = 0; i < TRACE_SECTION_IDS; i++)
		free(trace->sections[i].owned);
	for (size_t i = 0; trace->texts && i < trace->file.n_buffers; i++)
		free(trace->texts[i].owned);
	for (size_t i = 0; trace->chunks && i < trace->n_chunks; i++)
		chunk_index_done(&trace->chunks[i]);
	live_done(trace);
	free(trace->texts);
	free(trace->formats);
	free(trace->chunks);
	free(trace->streams);
	free(trace->buffer_order);
	trace_file_done(&trace->file);
	source_done(&trace->source);
	pthread_mutex_destroy(&trace->lock);
	free(trace);
}

const struct fathom_trace_info *fathom_trace_info(const struct fathom_trace *trace)
{
	return &trace->info;
}

int fathom_trace_buffer(const struct fathom_trace *trace, size_t i,
			struct fathom_trace_buffer *ret_buffer)
{
	const struct trace_buffer *buffer;

	if (i >= trace->file.n_buffers)
		return -ENOENT;
	buffer = &trace->file.buffers[trace->buffer_order[i]];
	*ret_buffer = (struct fathom_trace_buffer){
		.name = buffer->name,
		.clock = buffer->clock,
		.page_size = buffer->layout.size,
		.cpus = buffer->n_cpus,
		.compressed = buffer->compressed,
		.is_text = buffer->is_text,
	};
	return 0;
}

int fathom_trace_buffer_cpu(const struct fathom_trace *trace, size_t buffer, size_t i,
			    struct fathom_trace_cpu *ret_cpu)
{
	const struct trace_buffer *b;

	if (buffer >= trace->file.n_buffers)
		return -ENOENT;
	b = &trace->file.buffers[trace->buffer_order[buffer]];
	if (i >= b->n_cpus)
		return -ENOENT;
	*ret_cpu = (struct fathom_trace_cpu){
		.cpu = b->cpus[i].cpu,
		.offset = b->cpus[i].offset,
		.size = b->cpus[i].size,
	};
	return 0;
}

int fathom_trace_guest(const struct fathom_trace *trace, size_t i,
		       struct fathom_trace_guest *ret_guest)
{
	const struct trace_guest *guest;

	if (i >= trace->file.n_guests)
		return -ENOENT;
	guest = &trace->file.guests[i];
	*ret_guest = (struct fathom_trace_guest){
		.name = guest->name,
		.trace_id = guest->trace_id,
		.cpus = guest->n_cpus,
		.pids = guest->pids,
	};
	return 0;
}

size_t fathom_trace_section_count(const struct fathom_trace *trace)
{
	return trace->file.n_sections;
}

int fathom_trace_section_at(const struct fathom_trace *trace, size_t i,
			    struct fathom_trace_section *ret_section)
{
	const struct trace_section *section;

	if (i >= trace->file.n_sections)
		return -ENOENT;
	section = &trace->file.sections[i];
	*ret_section = (struct fathom_trace_section){
		.id = section->id,
		.flags = section->flags,
		.offset = section->offset,
		.size = section->size,
		.name = trace_id_name(section->id),
		.description = section->description,
	};
	return 0;
}

size_t fathom_trace_option_count(const struct fathom_trace *trace)
{
	return trace->file.n_options;
}

int fathom_trace_option(const struct fathom_trace *trace, size_t i,
			struct fathom_trace_option *ret_option)
{
	const struct trace_option *option;

	if (i >= trace->file.n_options)
		return -ENOENT;
	option = &trace->file.options[i];
	*ret_option = (struct fathom_trace_option){
		.id = option->id,
		.name = trace_id_name(option->id),
		.data = option->data,
		.size = option->size,
		.offset = option->offset,
	};
	return 0;
}

uint64_t fathom_trace_damage_count(struct fathom_trace *trace)
{
	struct damage *damage = &trace->file.damage;
	uint64_t total;

	pthread_mutex_lock(&damage->lock);
	total = damage->total;
	pthread_mutex_unlock(&damage->lock);
	return total;
}

int fathom_trace_damage(struct fathom_trace *trace, size_t i,
			struct fathom_trace_damage *ret_damage)
{
	struct damage *damage = &trace->file.damage;
	int r = -ENOENT;

	pthread_mutex_lock(&damage->lock);
	if (i < damage->count) {
		_Static_assert(sizeof(ret_damage->text) == sizeof(damage->notes[0].text),
			       "the public note holds what the inner one does");
		ret_damage->offset = damage->notes[i].offset;
		memcpy(ret_damage->text, damage->notes[i].text, sizeof(ret_damage->text));
		r = 0;
	}
	pthread_mutex_unlock(&damage->lock);
	return r;
}

void trace_scale_time(struct fathom_trace *trace, uint32_t factor)
{
	for (size_t i = 0; i < trace->file.n_buffers; i++) {
		trace->file.buffers[i].time.mult = factor;
		trace->file.buffers[i].time.tsc_shift = 0;
	}
}

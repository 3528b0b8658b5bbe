/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses the start of a trace file, common to both versions, and computes what depends on several
 * parts of it: page layouts and time conversion.
 */
#include "format/file/trace-file.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"
#include "format/file/trace-file-parts.h"

static int parse_start(struct trace_file *file, struct reader *reader, uint64_t *ret_options,
		       struct fathom_err *err)
{
	const char *version;

	if (!reader_expect(reader, TRACE_FILE_MAGIC, sizeof(TRACE_FILE_MAGIC) - 1))
		return err_set_at(err, -EINVAL, 0,
				  "not a trace file: expected a recording of fathom or trace-cmd");
	version = reader_string(reader);
	if (!str_eq(version, "6") && !str_eq(version, "7"))
		return err_set_at(err, reader->failed ? -EINVAL : -ENOTSUP, 10,
				  reader->failed ?
					  "file truncated in its header%s" :
					  "unknown trace file version '%.16s': expected 6 or 7",
				  reader->failed ? "" : version);
	file->version = version[0] == '6' ? 6 : 7;
	file->big_endian = reader_u8(reader) == 1;
	reader->big = file->big_endian;
	file->user_long_size = reader_u8(reader);
	file->page_size = reader_u32(reader);
	if (file->version == 7) {
		file->compression_name = arena_strdup(&file->arena, reader_string(reader));
		file->compression_version = arena_strdup(&file->arena, reader_string(reader));
		if (!file->compression_name || !file->compression_version)
			return err_nomem(err);
		file->compression = compression_by_name(file->compression_name);
		*ret_options = reader_u64(reader);
	}
	if (reader->failed)
		return err_set_at(err, -EINVAL, reader->pos, "file truncated in its header");
	if (file->compression == COMPRESSION_UNKNOWN)
		damage_add(&file->damage, 18, "unknown compression '%.32s'",
			   file->compression_name);
	return 0;
}

/* Each buffer has its own page size; the rest of the layout is that of the kernel. */
static void settle_layouts(struct trace_file *file)
{
	uint32_t usual = file->page_size;

	if (!page_layout_fits(&file->layout, usual))
		usual = file->layout.size;
	for (size_t i = 0; i < file->n_buffers; i++) {
		struct trace_buffer *buffer = &file->buffers[i];
		uint32_t size = buffer->layout.size ?: usual;

		buffer->layout = file->layout;
		buffer->layout.size = size;
		if (page_layout_fits(&file->layout, size))
			continue;
		damage_add(&file->damage, buffer->offset, "invalid page size: %u bytes", size);
		buffer->layout.size = page_layout_fits(&file->layout, usual) ? usual : 4096;
	}
}

/* TSC and guest conversion apply to the clock of the top-level buffer. */
static void settle_time(struct trace_file *file, unsigned flags)
{
	for (size_t i = 0; i < file->n_buffers; i++) {
		struct trace_buffer *buffer = &file->buffers[i];

		if (flags & TRACE_PARSE_RAW_TIME)
			continue;
		buffer->time.offset =
			(int64_t)((uint64_t)file->ts_offset +
				  (flags & TRACE_PARSE_NO_DATE ? 0 : (uint64_t)file->date_offset));
		if (buffer->clock[0] && file->clock[0] && !str_eq(buffer->clock, file->clock))
			continue;
		buffer->time.shift = file->shift;
		buffer->time.mult = file->tsc_mult;
		buffer->time.tsc_shift = file->tsc_shift;
	}
}

static int trace_file_parse(struct trace_file *file, unsigned flags, struct fathom_err *err)
{
	struct reader reader;
	uint64_t options = 0;
	int r;

	reader_init(&reader, &file->view, 0, file->view.size, false);
	r = parse_start(file, &reader, &options, err);
	if (r < 0)
		return r;
	r = file->version == 6 ? trace_file_parse_v6(file, &reader) :
				 trace_file_parse_v7(file, &reader, options);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return err_set(err, r, "cannot read the file");
	settle_layouts(file);
	settle_time(file, flags);
	return 0;
}

int trace_file_init(struct trace_file *file, const struct view *view, unsigned flags,
		    struct fathom_err *err)
{
	int r;

	memset(file, 0, sizeof(*file));
	damage_init(&file->damage);
	file->view = *view;
	file->compression_name = "none";
	file->compression_version = "";
	file->clock = "";
	file->uname = "";
	file->tracer_version = "";
	r = trace_file_parse(file, flags, err);
	if (r < 0)
		trace_file_done(file);
	return r;
}

void trace_file_done(struct trace_file *file)
{
	for (size_t i = 0; i < file->n_buffers; i++)
		free(file->buffers[i].cpus);
	free(file->sections);
	free(file->options);
	free(file->buffers);
	free(file->guests);
	arena_done(&file->arena);
	damage_done(&file->damage);
	memset(file, 0, sizeof(*file));
}

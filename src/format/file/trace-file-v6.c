/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Version 6 has no directory: its parts follow one another, each preceded by its size. They are
 * skipped, and recorded as the sections that version 7 has.
 */
#include <errno.h>

#include "format/file/trace-body.h"
#include "format/file/trace-file-parts.h"

#define TAG_SIZE	   10
#define BUFFER_OPTIONS_MAX 4096

static int parse_parts(struct trace_file *file, struct reader *reader)
{
	for (size_t i = 0; i < TRACE_BODIES && !reader->failed; i++) {
		struct trace_section section = {
			.offset = reader->pos,
			.body = reader->pos,
			.description = "",
			.id = trace_bodies[i],
		};

		trace_body_skip(section.id, reader);
		section.size = (reader->failed ? reader->end : reader->pos) - section.body;
		if (reader->failed)
			damage_add(&file->damage, section.offset,
				   "file truncated or damaged in its %s; no events can be read",
				   trace_id_name(section.id));
		if (section.size && trace_section_add(file, &section) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Parses u64 size, "[clock]", which follows the table of CPUs if there was an option TRACECLOCK. */
static int parse_clock(struct trace_file *file, struct trace_buffer *buffer, struct reader *reader)
{
	char text[256];
	uint64_t size = reader_u64(reader);

	if (reader->failed || size >= sizeof(text) || size > reader_left(reader))
		return 0;
	reader_bytes(reader, text, (size_t)size);
	return trace_clock_parse(file, text, (size_t)size, &buffer->clock);
}

/* Parses a part that starts with one of three words: options, then the table of CPUs, or text. */
static int parse_data(struct trace_file *file, struct trace_buffer *buffer, struct reader *reader)
{
	uint32_t n_cpus = file->n_cpus;
	uint64_t at = reader->pos, end = reader->end, next;
	int r = 0;

	if (reader_expect(reader, "options  ", TAG_SIZE)) {
		/* A buffer has only few options: the number of its CPUs. */
		if (file->parsing_buffer && reader_left(reader) > BUFFER_OPTIONS_MAX)
			reader->end = reader->pos + BUFFER_OPTIONS_MAX;
		r = trace_options_parse(file, reader, 0, &next);
		reader->end = end;
	}
	if (r < 0)
		return r;
	/* The options may have added buffers and thus moved this one. */
	buffer = &file->buffers[file->parsing_buffer];
	buffer->offset = reader->pos;
	if (reader_expect(reader, "latency  ", TAG_SIZE)) {
		buffer->is_text = true;
		buffer->offset = reader->pos;
		buffer->text_size = reader_left(reader);
	} else if (reader_expect(reader, "flyrecord", TAG_SIZE)) {
		r = trace_buffer_cpus(file, buffer, reader, file->n_cpus, false);
		if (r == 0 && file->has_clock_table && !reader->failed)
			r = parse_clock(file, buffer, reader);
	} else {
		damage_add(&file->damage, at, "no CPU table for buffer '%.40s'", buffer->name);
	}
	if (file->parsing_buffer)
		file->n_cpus = n_cpus;
	return r;
}

/*
 * Kernel types and modules, for which version 6 has no place: files converted by fathom contain
 * them as sections of version 7. In other files, trace-cmd left dangling offsets.
 */
static int find_appended(struct trace_file *file, struct reader *reader)
{
	static const unsigned ids[] = { TRACE_ID_BTF_FILE, TRACE_ID_MODULES_FILE };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct trace_section section = { .offset = file->section_at[ids[i]],
						 .description = "" };

		if (!section.offset)
			continue;
		reader_init(reader, &file->view, section.offset, file->view.size, file->big_endian);
		section.id = reader_u16(reader);
		section.flags = reader_u16(reader);
		reader_u32(reader);
		section.size = reader_u64(reader);
		section.body = reader->pos;
		if (reader->failed || section.id != ids[i] || section.flags ||
		    section.size > reader_left(reader))
			continue;
		if (trace_section_add(file, &section) < 0)
			return -ENOMEM;
	}
	return 0;
}

int trace_file_parse_v6(struct trace_file *file, struct reader *reader)
{
	struct trace_buffer *top = NULL;
	int r = parse_parts(file, reader);

	if (r == 0)
		r = trace_file_layout(file);
	if (r == 0)
		r = trace_buffer_add(file, "", &top);
	if (r < 0 || reader->failed || !top)
		return r;
	file->n_cpus = reader_u32(reader);
	r = parse_data(file, top, reader);
	/* Options can also describe buffers, whose tables are elsewhere in the file. */
	for (size_t i = 1; i < file->n_buffers && r == 0; i++) {
		reader_init(reader, &file->view, file->buffers[i].offset, file->view.size,
			    file->big_endian);
		file->parsing_buffer = i;
		r = parse_data(file, &file->buffers[i], reader);
	}
	if (r == 0)
		r = find_appended(file, reader);
	if (r == 0 && file->buffers[0].clock[0] && !file->clock[0])
		file->clock = file->buffers[0].clock;
	return r;
}

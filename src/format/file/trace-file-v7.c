/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Version 7 is a chain of sections. The options contain the offsets of the others. In addition, all
 * sections are walked from the first to the end of the file: this yields their descriptions, and
 * finds sections whose options are lost.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "format/file/trace-file-parts.h"

#define SECTION_HEADER_SIZE 16

/* Reads the section header at @offset. Returns false, with a note, if there is none. */
static bool read_section(struct trace_file *file, struct reader *reader, uint64_t offset,
			 struct trace_section *ret_section)
{
	struct trace_section section = { .offset = offset, .description = "" };

	reader_init(reader, &file->view, offset, file->view.size, file->big_endian);
	section.id = reader_u16(reader);
	section.flags = reader_u16(reader);
	section.description_id = reader_u32(reader);
	section.size = reader_u64(reader);
	section.body = reader->pos;
	if (reader->failed) {
		damage_add(&file->damage, offset, "file truncated in a section header");
		return false;
	}
	if (section.size > reader_left(reader)) {
		/* Normal for the last section of a file that is being recorded. */
		if (section.id == TRACE_ID_BUFFER)
			file->cut_buffer = offset;
		else
			damage_add(&file->damage, offset,
				   "section %s truncated: %llu of %llu bytes present",
				   trace_id_name(section.id),
				   (unsigned long long)reader_left(reader),
				   (unsigned long long)section.size);
		section.size = reader_left(reader);
	}
	*ret_section = section;
	return true;
}

static int walk_sections(struct trace_file *file, struct reader *reader, uint64_t offset)
{
	struct trace_section section;

	while (offset < file->view.size && file->n_sections < TRACE_SECTIONS_MAX) {
		if (!read_section(file, reader, offset, &section))
			break;
		if (mem_reserve(&file->sections, &file->cap_sections, file->n_sections + 1,
				sizeof(section)) < 0)
			return -ENOMEM;
		file->sections[file->n_sections++] = section;
		offset = section.body + section.size;
	}
	return 0;
}

/* Options in a compressed section, which no known program writes. */
static int trace_file_v7_packed_options(struct trace_file *file,
					const struct trace_section *section, struct reader *reader,
					uint64_t *ret_next)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct fathom_err err = { 0 };
	struct view view;
	size_t size;
	int r = trace_section_length(file, section, &size, &err);

	*ret_next = 0;
	if (r == 0 && size > TRACE_OPTIONS_MEM_MAX)
		r = err.code = -EFBIG;
	if (r == 0) {
		bytes = mem_alloc(size);
		if (!bytes)
			return -ENOMEM;
		r = trace_section_read(file, section, bytes, size, &err);
	}
	if (r < 0) {
		damage_add(&file->damage, section->offset, "%s", fathom_err_text(&err));
		return r == -ENOMEM ? r : 0;
	}
	view = view_of_bytes(bytes, size);
	reader_init(reader, &view, 0, size, file->big_endian);
	return trace_options_parse(file, reader, section->offset, ret_next);
}

static int parse_options_at(struct trace_file *file, struct reader *reader, uint64_t offset,
			    uint64_t *ret_next)
{
	struct trace_section section;

	*ret_next = 0;
	if (!read_section(file, reader, offset, &section))
		return 0;
	if (section.id != TRACE_ID_DONE) {
		damage_add(&file->damage, offset, "no options at the expected offset");
		return 0;
	}
	if (section.flags & TRACE_SECTION_COMPRESSED)
		return trace_file_v7_packed_options(file, &section, reader, ret_next);
	reader->end = section.body + section.size;
	return trace_options_parse(file, reader, 0, ret_next);
}

/* A circular chain is detected at the latest after twice its length. */
static int parse_option_chain(struct trace_file *file, struct reader *reader, uint64_t offset)
{
	uint64_t mark = 0, steps = 0, limit = 1, next;
	int r;

	while (offset && file->n_options < TRACE_OPTIONS_MAX) {
		r = parse_options_at(file, reader, offset, &next);
		if (r < 0)
			return r;
		if (next && (next == mark || next == offset)) {
			damage_add(&file->damage, offset, "options form a loop");
			break;
		}
		if (++steps == limit) {
			mark = offset;
			limit *= 2;
			steps = 0;
		}
		offset = next;
	}
	return 0;
}

static int find_options(struct trace_file *file, struct reader *reader, uint64_t offset)
{
	uint64_t next;
	int r;

	if (offset)
		r = parse_option_chain(file, reader, offset);
	else
		r = 0;
	if (r < 0 || file->n_options)
		return r;
	damage_add(&file->damage, 0, "no offset of the options; the recording was not finished");
	for (size_t i = 0; i < file->n_sections && r == 0; i++)
		if (file->sections[i].id == TRACE_ID_DONE)
			r = parse_options_at(file, reader, file->sections[i].offset, &next);
	return r;
}

/* The numbers in section headers are offsets in the concatenation of all strings. */
static int read_strings(struct trace_file *file)
{
	char *all = NULL;
	size_t len = 0;

	for (size_t i = 0; i < file->n_sections; i++) {
		struct trace_section *section = &file->sections[i];
		size_t size;
		char *grown;

		if (section->id != TRACE_ID_STRINGS ||
		    trace_section_length(file, section, &size, NULL) < 0 ||
		    size > TRACE_OPTION_COPY_MAX - len)
			continue;
		grown = arena_alloc(&file->arena, len + size + 1);
		if (!grown)
			return -ENOMEM;
		if (len)
			memcpy(grown, all, len);
		if (trace_section_read(file, section, grown + len, size, NULL) < 0)
			continue;
		all = grown;
		len += size;
		all[len] = '\0';
	}
	for (size_t i = 0; i < file->n_sections && all; i++)
		if (file->sections[i].description_id < len)
			file->sections[i].description = all + file->sections[i].description_id;
	return 0;
}

/* Sections that the options refer to take precedence over those found by the walk. */
static int resolve_sections(struct trace_file *file, struct reader *reader)
{
	struct trace_section section;

	for (unsigned id = 0; id < TRACE_SECTION_IDS; id++) {
		if (!file->section_at[id] ||
		    !read_section(file, reader, file->section_at[id], &section))
			continue;
		if (section.id != id)
			damage_add(&file->damage, section.offset,
				   "no section %s at the expected offset", trace_id_name(id));
		else if (trace_section_add(file, &section) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void note_lost_buffers(struct trace_file *file)
{
	if (file->cut_buffer && file->state.stage == TRACE_FINISHED)
		damage_add(&file->damage, file->cut_buffer, "section BUFFER truncated");
	for (size_t i = 0; i < file->n_sections && !file->n_buffers; i++)
		if (file->sections[i].id == TRACE_ID_BUFFER)
			damage_add(&file->damage, file->sections[i].offset,
				   "trace data without a description; its CPUs are unknown");
}

int trace_file_parse_v7(struct trace_file *file, struct reader *reader, uint64_t options_offset)
{
	int r = walk_sections(file, reader, reader->pos);

	if (r == 0)
		r = find_options(file, reader, options_offset);
	if (r == 0)
		r = resolve_sections(file, reader);
	if (r == 0)
		r = read_strings(file);
	if (r == 0)
		r = trace_file_layout(file);
	if (r == 0)
		note_lost_buffers(file);
	for (size_t i = 0; i < file->n_buffers && r == 0; i++)
		if (!file->buffers[i].name[0] && !file->clock[0])
			file->clock = file->buffers[i].clock;
	return r;
}

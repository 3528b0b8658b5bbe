/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loads sections on demand: texts, the list of event formats, common fields. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "read/trace.h"

int trace_section_load(struct fathom_trace *trace, unsigned id, const char **ret_bytes,
		       size_t *ret_size, struct fathom_err *err)
{
	struct section_bytes *cached = &trace->sections[id];
	const struct trace_section *section;
	_cleanup_free_ char *bytes = NULL;
	size_t size;
	int r;

	if (!cached->loaded) {
		section = trace_file_section(&trace->file, id);
		if (!section)
			return err_set(err, -ENOENT, "no section '%s' in the file",
				       trace_id_name(id));
		r = trace_section_length(&trace->file, section, &size, err);
		if (r < 0)
			return r;
		if (trace->source.map && !(section->flags & TRACE_SECTION_COMPRESSED)) {
			cached->bytes = (const char *)trace->source.map + section->body;
		} else {
			bytes = mem_alloc(size);
			if (!bytes)
				return err_nomem(err);
			r = trace_section_read(&trace->file, section, bytes, size, err);
			if (r < 0)
				return r;
			cached->bytes = cached->owned = TAKE_PTR(bytes);
		}
		cached->size = size;
		cached->loaded = true;
	}
	*ret_bytes = cached->bytes;
	*ret_size = cached->size;
	return 0;
}

/*
 * Takes a text preceded by its size, a number of @len_size bytes. Truncated at the end of the
 * section.
 */
static int take_sized(struct fathom_trace *trace, struct reader *reader, const char *bytes,
		      uint32_t len_size, const char *what, const char **ret_text, size_t *ret_size)
{
	uint64_t size = len_size == 4 ? reader_u32(reader) : reader_u64(reader);

	if (reader->failed)
		return -EBADMSG;
	if (size > reader_left(reader)) {
		damage_add(&trace->file.damage, 0, "%s truncated: %llu of %llu bytes present", what,
			   (unsigned long long)reader_left(reader), (unsigned long long)size);
		size = reader_left(reader);
	}
	*ret_text = bytes + reader->pos;
	*ret_size = (size_t)size;
	reader_skip(reader, size);
	return 0;
}

/* "header_page\0" u64 size, text, "header_event\0" u64 size, text. */
static int take_header(struct fathom_trace *trace, struct reader *reader, const char *bytes,
		       bool event, const char **ret_text, size_t *ret_size)
{
	int r;

	if (!reader_expect(reader, "header_page", 12))
		return -EBADMSG;
	r = take_sized(trace, reader, bytes, 8, "the page header is", ret_text, ret_size);
	if (r < 0 || !event)
		return r;
	if (!reader_expect(reader, "header_event", 13))
		return -EBADMSG;
	return take_sized(trace, reader, bytes, 8, "the event header is", ret_text, ret_size);
}

static const struct {
	unsigned id;
	uint32_t len_size; /* 0: the section is the text */
} kinds[] = {
	[FATHOM_SECTION_HEADER_PAGE] = { TRACE_ID_HEADER_INFO, 0 },
	[FATHOM_SECTION_HEADER_EVENT] = { TRACE_ID_HEADER_INFO, 0 },
	[FATHOM_SECTION_KALLSYMS] = { TRACE_ID_KALLSYMS, 4 },
	[FATHOM_SECTION_PRINTK] = { TRACE_ID_PRINTK, 4 },
	[FATHOM_SECTION_CMDLINES] = { TRACE_ID_CMDLINES, 8 },
	[FATHOM_SECTION_BTF] = { TRACE_ID_BTF_FILE, 0 },
	[FATHOM_SECTION_MODULES] = { TRACE_ID_MODULES_FILE, 0 },
};

int fathom_trace_section(struct fathom_trace *trace, enum fathom_section section,
			 const char **ret_bytes, size_t *ret_size, struct fathom_err *err)
{
	struct reader reader;
	const char *bytes;
	struct view view;
	size_t size;
	int r;

	if ((unsigned)section >= ARRAY_SIZE(kinds))
		return err_set(err, -EINVAL, "no such section");
	r = trace_section_load(trace, kinds[section].id, &bytes, &size, err);
	if (r < 0)
		return r;
	view = view_of_bytes(bytes, size);
	reader_init(&reader, &view, 0, size, trace->file.big_endian);
	if (kinds[section].id == TRACE_ID_HEADER_INFO) {
		r = take_header(trace, &reader, bytes, section == FATHOM_SECTION_HEADER_EVENT,
				ret_bytes, ret_size);
	} else if (kinds[section].len_size) {
		r = take_sized(trace, &reader, bytes, kinds[section].len_size,
			       trace_id_name(kinds[section].id), ret_bytes, ret_size);
	} else {
		*ret_bytes = bytes;
		*ret_size = size;
	}
	if (r < 0)
		return err_set(err, r, "section '%s' is damaged", trace_id_name(kinds[section].id));
	return 0;
}

static int add_format(struct fathom_trace *trace, const char *system, const char *text, size_t size)
{
	if (mem_reserve(&trace->formats, &trace->cap_formats, trace->n_formats + 1,
			sizeof(*trace->formats)) < 0)
		return -ENOMEM;
	trace->formats[trace->n_formats++] = (struct fathom_format_text){
		.system = system,
		.text = text,
		.size = size,
	};
	return 0;
}

/* u32 count, then u64 size and text of each. */
static int add_formats(struct fathom_trace *trace, struct reader *reader, const char *bytes,
		       const char *system)
{
	uint32_t n = reader_u32(reader);

	for (; n && !reader->failed && trace->n_formats < TRACE_FORMATS_MAX; n--) {
		const char *text;
		size_t size;

		if (take_sized(trace, reader, bytes, 8, "an event description is", &text, &size) <
		    0)
			break;
		if (add_format(trace, system, text, size) < 0)
			return -ENOMEM;
	}
	if (n || reader->failed) {
		reader->failed = true;
		damage_add(&trace->file.damage, 0, "no formats of '%.32s' events", system);
	}
	return 0;
}

/* Loads a section and positions a reader at its start. @view must outlive the reader. */
static int read_section(struct fathom_trace *trace, unsigned id, struct view *view,
			struct reader *reader, const char **ret_bytes, struct fathom_err *err)
{
	const char *bytes = "";
	size_t size = 0;
	int r = trace_section_load(trace, id, &bytes, &size, err);

	if (r < 0)
		return r;
	*view = view_of_bytes(bytes, size);
	reader_init(reader, view, 0, size, trace->file.big_endian);
	*ret_bytes = bytes;
	return 0;
}

static int add_section_formats(struct fathom_trace *trace, unsigned id, struct fathom_err *err)
{
	struct reader reader;
	const char *bytes;
	struct view view;
	int r = read_section(trace, id, &view, &reader, &bytes, err);

	if (r < 0)
		return r;
	if (id == TRACE_ID_FTRACE_EVENTS)
		return add_formats(trace, &reader, bytes, "ftrace");
	for (uint32_t n = reader_u32(&reader); n && !reader.failed; n--) {
		const char *system = bytes + reader.pos;

		reader_string(&reader);
		if (!reader.failed)
			r = add_formats(trace, &reader, bytes, system);
		if (r < 0)
			return r;
	}
	return 0;
}

int fathom_trace_formats(struct fathom_trace *trace, const struct fathom_format_text **ret_formats,
			 size_t *ret_count, struct fathom_err *err)
{
	static const unsigned ids[] = { TRACE_ID_FTRACE_EVENTS, TRACE_ID_EVENT_FORMATS };
	struct fathom_err inner = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(ids) && !trace->formats_loaded; i++) {
		int r = add_section_formats(trace, ids[i], &inner);

		if (r == -ENOMEM) {
			trace->n_formats = 0;
			return err_nomem(err);
		}
		if (r < 0)
			damage_add(&trace->file.damage, 0, "%s", fathom_err_text(&inner));
	}
	trace->formats_loaded = true;
	*ret_formats = trace->formats;
	*ret_count = trace->n_formats;
	return 0;
}

/* Text of a latency tracer. If compressed, it is a sequence of chunks, like CPU data. */
static int load_text(struct fathom_trace *trace, const struct trace_buffer *buffer,
		     struct section_bytes *text, struct fathom_err *err)
{
	struct inflater inflater = { 0 };
	_cleanup_free_ char *packed = NULL, *bytes = NULL;
	size_t size = (size_t)buffer->text_size, done = 0, cap = 0, pos = 4;
	bool big = trace->file.big_endian;
	int r = 0;

	if (buffer->text_size > INFLATE_SECTION_MAX)
		return err_set_at(err, -EFBIG, buffer->offset, "text too large");
	packed = mem_alloc(size);
	if (!packed)
		return err_nomem(err);
	if (source_read(&trace->source, buffer->offset, packed, size) != (long)size)
		return err_set_at(err, -EIO, buffer->offset, "cannot read the text");
	if (!buffer->compressed) {
		text->bytes = text->owned = TAKE_PTR(packed);
		text->size = size;
		return 0;
	}
	for (uint32_t n = size >= 4 ? load_u32(packed, big) : 0; n && r == 0; n--) {
		uint32_t in = size - pos >= 8 ? load_u32(packed + pos, big) : 0;
		uint32_t out = size - pos >= 8 ? load_u32(packed + pos + 4, big) : 0;

		if (size - pos < 8 || in > size - pos - 8 || out > INFLATE_SECTION_MAX - done)
			r = -EBADMSG;
		else if (mem_reserve(&bytes, &cap, done + out, 1) < 0)
			r = -ENOMEM;
		else
			r = inflater_run(&inflater, trace->file.compression, packed + pos + 8, in,
					 bytes + done, out);
		if (r == 0) {
			done += out;
			pos += 8 + in;
		}
	}
	inflater_done(&inflater);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		damage_add(&trace->file.damage, buffer->offset + pos, "text truncated");
	text->bytes = text->owned = TAKE_PTR(bytes);
	text->size = done;
	return 0;
}

int fathom_trace_text(struct fathom_trace *trace, size_t buffer, const char **ret_text,
		      size_t *ret_size, struct fathom_err *err)
{
	const struct trace_buffer *b;
	struct section_bytes *text;
	int r = 0;

	if (buffer >= trace->file.n_buffers)
		return err_set(err, -ENOENT, "no such buffer");
	b = &trace->file.buffers[trace->buffer_order[buffer]];
	if (!b->is_text)
		return err_set(err, -ENOENT, "the buffer contains events, not text");
	text = &trace->texts[buffer];
	if (!text->loaded)
		r = load_text(trace, b, text, err);
	if (r < 0)
		return r;
	text->loaded = true;
	*ret_text = text->bytes ?: "";
	*ret_size = text->size;
	return 0;
}

/*
 * Returns the number after @key in the line that declares @field in @text; @otherwise if missing.
 */
static uint32_t trace_sections_field_number(const char *text, size_t size, const char *field,
					    const char *key, uint32_t otherwise)
{
	const char *at = memmem(text, size, field, strlen(field)), *end = text + size;
	const char *eol = at ? memchr(at, '\n', (size_t)(end - at)) : NULL;
	const char *number = eol ? memmem(at, (size_t)(eol - at), key, strlen(key)) : NULL;
	uint32_t n = 0;

	if (!number)
		return otherwise;
	for (number += strlen(key); *number >= '0' && *number <= '9' && n < 100000; number++)
		n = n * 10 + (uint32_t)(*number - '0');
	return n;
}

/* Returns the first event format, reading no more of the file than necessary. */
static int first_format(struct fathom_trace *trace, unsigned id, const char **ret_text,
			size_t *ret_size)
{
	struct reader reader;
	const char *bytes;
	struct view view;
	int r = read_section(trace, id, &view, &reader, &bytes, NULL);

	if (r < 0)
		return r;
	reader_u32(&reader);
	if (id == TRACE_ID_EVENT_FORMATS) {
		reader_string(&reader);
		reader_u32(&reader);
	}
	return take_sized(trace, &reader, bytes, 8, "an event description is", ret_text, ret_size);
}

int trace_find_common(struct fathom_trace *trace)
{
	const char *text = "";
	size_t size = 0;
	struct common_fields *common = &trace->common;
	int r = first_format(trace, TRACE_ID_FTRACE_EVENTS, &text, &size);

	if (r < 0 && r != -ENOMEM)
		r = first_format(trace, TRACE_ID_EVENT_FORMATS, &text, &size);
	if (r == -ENOMEM)
		return r;
	if (r < 0)
		size = 0;
	common->type = trace_sections_field_number(text, size, " common_type;", "offset:", 0);
	common->pid = trace_sections_field_number(text, size, " common_pid;", "offset:", 4);
	if (trace_sections_field_number(text, size, " common_type;", "size:", 2) != 2 ||
	    trace_sections_field_number(text, size, " common_pid;", "size:", 4) != 4) {
		damage_add(&trace->file.damage, 0, "unusual common fields of events");
		common->type = 0;
		common->pid = 4;
	}
	common->end = common->type + 2 > common->pid + 4 ? common->type + 2 : common->pid + 4;
	return 0;
}

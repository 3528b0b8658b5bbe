/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/file/trace-body.h"

#include "format/file/trace-file.h"

const uint16_t trace_bodies[TRACE_BODIES] = {
	TRACE_ID_HEADER_INFO, TRACE_ID_FTRACE_EVENTS, TRACE_ID_EVENT_FORMATS,
	TRACE_ID_KALLSYMS,    TRACE_ID_PRINTK,	      TRACE_ID_CMDLINES,
};

static void skip_u32_sized(struct reader *reader)
{
	reader_skip(reader, reader_u32(reader));
}

static void skip_u64_sized(struct reader *reader)
{
	reader_skip(reader, reader_u64(reader));
}

static void skip_header_info(struct reader *reader)
{
	if (!reader_expect(reader, "header_page", 12))
		reader->failed = true;
	skip_u64_sized(reader);
	if (!reader_expect(reader, "header_event", 13))
		reader->failed = true;
	skip_u64_sized(reader);
}

/* Skips a list of formats; @room is how many more the file may have. */
static void skip_formats(struct reader *reader, uint32_t *room)
{
	uint32_t n = reader_u32(reader);

	if (n > *room)
		reader->failed = true;
	for (*room -= reader->failed ? 0 : n; n && !reader->failed; n--)
		skip_u64_sized(reader);
}

static void skip_systems(struct reader *reader)
{
	uint32_t room = TRACE_FORMATS_MAX, systems = reader_u32(reader);

	if (systems > TRACE_FORMATS_MAX)
		reader->failed = true;
	for (; systems && !reader->failed; systems--) {
		reader_string(reader);
		skip_formats(reader, &room);
	}
}

void trace_body_skip(unsigned id, struct reader *reader)
{
	uint32_t room = TRACE_FORMATS_MAX;

	switch (id) {
	case TRACE_ID_HEADER_INFO:
		skip_header_info(reader);
		break;
	case TRACE_ID_FTRACE_EVENTS:
		skip_formats(reader, &room);
		break;
	case TRACE_ID_EVENT_FORMATS:
		skip_systems(reader);
		break;
	case TRACE_ID_CMDLINES:
		skip_u64_sized(reader);
		break;
	default:
		skip_u32_sized(reader);
	}
}

size_t trace_body_length(unsigned id, const void *bytes, size_t size, bool big_endian)
{
	struct view view = view_of_bytes(bytes, size);
	struct reader reader;

	reader_init(&reader, &view, 0, size, big_endian);
	trace_body_skip(id, &reader);
	return reader.failed ? 0 : (size_t)reader.pos;
}

/* A body being repaired, and where the result goes. */
struct repair {
	struct reader reader;
	const uint8_t *bytes;
	struct trace_encoder *e;
	uint32_t systems, formats; /* how many more there may be */
};

/*
 * Copies a text preceded by its size, a number of @len_size bytes. Truncated at the end of the
 * input.
 */
static void repair_text(struct repair *repair, unsigned len_size)
{
	struct reader *reader = &repair->reader;
	uint64_t size = len_size == 4 ? reader_u32(reader) : reader_u64(reader);
	const uint8_t *text = repair->bytes + reader->pos;

	if (reader->failed)
		size = 0;
	else if (size > reader_left(reader))
		size = reader_left(reader);
	if (len_size == 4)
		trace_encode_text32(repair->e, text, (size_t)size);
	else
		trace_encode_text64(repair->e, text, (size_t)size);
	reader_skip(reader, size);
}

/* Drops a truncated format: it is unusable, and would be reported as an invalid one. */
static void repair_formats(struct repair *repair)
{
	struct reader *reader = &repair->reader;
	uint64_t at = trace_encode_pos(repair->e);
	uint32_t n = reader_u32(reader), kept = 0;

	trace_encode_u32(repair->e, 0);
	for (; n && repair->formats; n--, kept++, repair->formats--) {
		uint64_t size = reader_u64(reader);

		if (reader->failed || size > reader_left(reader)) {
			reader->failed = true;
			break;
		}
		trace_encode_text64(repair->e, repair->bytes + reader->pos, (size_t)size);
		reader_skip(reader, size);
	}
	trace_encode_patch_u32(repair->e, at, kept);
}

static void repair_systems(struct repair *repair)
{
	struct reader *reader = &repair->reader;
	uint64_t at = trace_encode_pos(repair->e);
	uint32_t n = reader_u32(reader), kept = 0;

	trace_encode_u32(repair->e, 0);
	for (; n && !reader->failed && repair->systems; n--, repair->systems--) {
		const char *name = reader_string(reader);

		if (reader->failed)
			break;
		trace_encode_string(repair->e, name);
		repair_formats(repair);
		kept++;
	}
	trace_encode_patch_u32(repair->e, at, kept);
}

static void repair_header_info(struct repair *repair)
{
	static const struct {
		const char *tag;
		size_t size;
	} parts[] = { { "header_page", 12 }, { "header_event", 13 } };

	for (size_t i = 0; i < 2; i++) {
		if (!reader_expect(&repair->reader, parts[i].tag, parts[i].size))
			repair->reader.failed = true;
		trace_encode_bytes(repair->e, parts[i].tag, parts[i].size);
		repair_text(repair, 8);
	}
}

void trace_body_repair(unsigned id, const void *bytes, size_t size, struct trace_encoder *e)
{
	struct view view = view_of_bytes(bytes, size);
	struct repair repair = {
		.bytes = bytes,
		.e = e,
		.systems = TRACE_FORMATS_MAX,
		.formats = TRACE_FORMATS_MAX,
	};

	reader_init(&repair.reader, &view, 0, size, e->big_endian);
	switch (id) {
	case TRACE_ID_HEADER_INFO:
		repair_header_info(&repair);
		break;
	case TRACE_ID_FTRACE_EVENTS:
		repair_formats(&repair);
		break;
	case TRACE_ID_EVENT_FORMATS:
		repair_systems(&repair);
		break;
	case TRACE_ID_CMDLINES:
		repair_text(&repair, 8);
		break;
	default:
		repair_text(&repair, 4);
	}
}

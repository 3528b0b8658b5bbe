/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Everything in a recording except for its data: the front, which is written first; the options
 * with the table of CPUs, which change during the recording; and the tail. Once the front exists,
 * the file is valid at any time, because options are written before the head points at them.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/negative-errno.h"
#include "format/bytes.h"
#include "format/file/trace-encode.h"
#include "record/file/trace-out-parts.h"

#define REGION_MAX  ((uint64_t)1 << 40)
#define REGION_MIN  ((uint64_t)64 << 20)
#define REGION_UNIT ((uint64_t)1 << 20)

#define ROW_SIZE      20
#define ROW_OFFSET_AT 4

/* The names of the sections. The description of a section is the offset of its name here. */
static const char strings[] = "\0headers\0ftrace events\0event formats\0kernel symbols\0"
			      "printk formats\0task names\0types\0modules\0options\0data\0strings";

static uint32_t trace_frame_description(unsigned id)
{
	static const struct {
		unsigned id;
		const char *name;
	} names[] = {
		{ TRACE_ID_HEADER_INFO, "headers" },
		{ TRACE_ID_FTRACE_EVENTS, "ftrace events" },
		{ TRACE_ID_EVENT_FORMATS, "event formats" },
		{ TRACE_ID_KALLSYMS, "kernel symbols" },
		{ TRACE_ID_PRINTK, "printk formats" },
		{ TRACE_ID_CMDLINES, "task names" },
		{ TRACE_ID_BTF_FILE, "types" },
		{ TRACE_ID_MODULES_FILE, "modules" },
		{ TRACE_ID_DONE, "options" },
		{ TRACE_ID_BUFFER, "data" },
		{ TRACE_ID_STRINGS, "strings" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i].name) + 1;

		if (names[i].id != id)
			continue;
		for (size_t at = 0; at + len <= sizeof(strings); at++)
			if (memcmp(strings + at, names[i].name, len) == 0)
				return (uint32_t)at;
	}
	return 0;
}

int trace_out_pwrite(int fd, const void *bytes, size_t size, uint64_t offset)
{
	const char *p = bytes;

	while (size) {
		ssize_t n = pwrite(fd, p, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? negative_errno() : -ENOSPC;
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static int write_encoded(const struct trace_out *out, const struct trace_encoder *e)
{
	if (e->out.err)
		return e->out.err;
	return trace_out_pwrite(out->fd, e->out.s, e->out.len, e->base);
}

static void encode_sections(struct trace_out *out, struct trace_encoder *e,
			    const struct trace_out_section *sections, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t at = trace_encode_section(e, sections[i].id, 0,
						   trace_frame_description(sections[i].id));

		trace_encode_bytes(e, sections[i].body, sections[i].size);
		trace_encode_section_end(e, at);
		if (sections[i].id < TRACE_SECTION_IDS)
			out->sections[sections[i].id] = at;
	}
}

static void encode_row(struct trace_encoder *e, const struct trace_out_stream *stream)
{
	trace_encode_u32(e, stream->cpu);
	trace_encode_u64(e, stream->start);
	trace_encode_u64(e, atomic_load_explicit(&stream->size, memory_order_acquire));
}

/* A finished file has no rows for CPUs without data. */
static void encode_buffer(struct trace_out *out, struct trace_encoder *e, struct out_buffer *buffer)
{
	const struct trace_out_stream *streams = &out->streams[buffer->first];
	bool all = out->state.stage != TRACE_FINISHED;
	uint64_t option = trace_encode_option_begin(e, TRACE_ID_BUFFER);
	uint32_t n = 0;

	for (size_t i = 0; i < buffer->n; i++)
		n += all || streams[i].size;
	trace_encode_u64(e, buffer->section);
	trace_encode_string(e, buffer->name);
	trace_encode_string(e, buffer->clock);
	trace_encode_u32(e, buffer->page_size);
	trace_encode_u32(e, n);
	buffer->rows = trace_encode_pos(e);
	for (size_t i = 0; i < buffer->n; i++)
		if (all || streams[i].size)
			encode_row(e, &streams[i]);
	trace_encode_option_end(e, option);
}

/* Returns the offset of the section, which is padded to @size bytes. */
static uint64_t encode_options(struct trace_out *out, struct trace_encoder *e, uint64_t size,
			       const struct trace_out_option *more, size_t n_more)
{
	uint64_t at =
		trace_encode_section(e, TRACE_ID_DONE, 0, trace_frame_description(TRACE_ID_DONE));

	for (unsigned id = 0; id < TRACE_SECTION_IDS; id++)
		if (out->sections[id] && id != TRACE_ID_STRINGS)
			trace_encode_option_u64(e, (uint16_t)id, out->sections[id]);
	for (size_t i = 0; i < out->n_options; i++)
		trace_encode_option(e, out->options[i].id, out->options[i].data,
				    out->options[i].size);
	for (size_t i = 0; i < n_more; i++)
		trace_encode_option(e, more[i].id, more[i].data, more[i].size);
	if (out->state.stage != TRACE_FINISHED)
		trace_encode_state(e, &out->state);
	for (size_t i = 0; i < out->n_buffers; i++)
		encode_buffer(out, e, &out->buffers[i]);
	trace_encode_options_done(e, 0);
	if (trace_encode_pos(e) - at < size)
		strbuf_pad(&e->out, '\0', (size_t)(size - (trace_encode_pos(e) - at)));
	trace_encode_section_end(e, at);
	return at;
}

static int point_head(const struct trace_out *out, uint64_t options)
{
	uint8_t bytes[8];

	store_u64(bytes, options, BYTES_HOST_BIG);
	return trace_out_pwrite(out->fd, bytes, sizeof(bytes), out->head_options);
}

int trace_out_put_options(struct trace_out *out)
{
	unsigned other = !out->slot;
	_cleanup_trace_encoder_ struct trace_encoder e = { .base = out->slots[other],
							   .big_endian = BYTES_HOST_BIG };
	int r;

	encode_options(out, &e, out->slot_size, NULL, 0);
	if (e.out.len > out->slot_size)
		return -E2BIG;
	r = write_encoded(out, &e);
	if (r == 0)
		r = point_head(out, out->slots[other]);
	if (r == 0)
		out->slot = other;
	return r;
}

int trace_out_put_rows(struct trace_out *out)
{
	struct trace_encoder e = { .big_endian = BYTES_HOST_BIG };
	int r = 0;

	for (size_t i = 0; i < out->n_buffers && r == 0; i++) {
		const struct out_buffer *buffer = &out->buffers[i];

		strbuf_clear(&e.out);
		e.base = buffer->rows;
		for (size_t k = 0; k < buffer->n; k++)
			encode_row(&e, &out->streams[buffer->first + k]);
		r = write_encoded(out, &e);
	}
	trace_encoder_done(&e);
	return r;
}

/* Finds the largest region for each of @n streams that the file system supports. */
static int choose_region(int fd, uint64_t data, size_t n, uint64_t *ret_region)
{
	for (uint64_t region = REGION_MAX; region >= REGION_MIN; region /= 2) {
		if (region > ((uint64_t)INT64_MAX - data) / (n ?: 1))
			continue;
		if (ftruncate(fd, (off_t)(data + region * n)) == 0) {
			*ret_region = region;
			return ftruncate(fd, (off_t)data) < 0 ? negative_errno() : 0;
		}
		if (errno != EFBIG && errno != EINVAL)
			return negative_errno();
	}
	return -EFBIG;
}

static void place_streams(struct trace_out *out)
{
	for (size_t i = 0; i < out->n_streams; i++) {
		out->streams[i].start = out->data + i * out->state.region;
		out->streams[i].limit = out->state.region;
	}
}

/* The headers of the buffer sections are adjacent; the last section contains all data. */
static void encode_buffer_heads(struct trace_out *out, struct trace_encoder *e)
{
	size_t heads = out->n_buffers * 16, pad;
	uint64_t at = 0;

	pad = (size_t)(-(trace_encode_pos(e) + heads) % TRACE_OUT_ALIGN);
	for (size_t i = 0; i < out->n_buffers; i++) {
		at = trace_encode_section(e, TRACE_ID_BUFFER, 0,
					  trace_frame_description(TRACE_ID_BUFFER));
		out->buffers[i].section = at;
	}
	out->data_section = at;
	strbuf_pad(&e->out, '\0', pad);
	out->data = trace_encode_pos(e);
	trace_encode_patch_u64(e, at + 8, out->data - at - 16 + out->n_streams * out->state.region);
}

/*
 * The start of the data depends on the size of the options, and the contents of the options, but
 * not their size, on the start of the data. So encoding them twice is enough.
 */
int trace_out_put_front(struct trace_out *out, const struct trace_out_spec *spec)
{
	_cleanup_trace_encoder_ struct trace_encoder e = { .big_endian = BYTES_HOST_BIG };
	struct trace_head head = { .version = 7,
				   .long_size = sizeof(long),
				   .page_size = spec->page_size,
				   .compression = "none",
				   .compression_version = "" };
	struct trace_out_section names = { TRACE_ID_STRINGS, strings, sizeof(strings) };
	size_t front;
	int r;

	out->head_options = trace_encode_head(&e, &head);
	encode_sections(out, &e, spec->sections, spec->n_sections);
	encode_sections(out, &e, &names, 1);
	front = e.out.len;
	for (int pass = 0; pass < 2; pass++) {
		if (e.out.err)
			return e.out.err;
		e.out.len = front;
		for (int slot = 0; slot < 2; slot++)
			out->slots[slot] = encode_options(out, &e, 0, NULL, 0);
		out->slot_size = out->slots[1] - out->slots[0];
		encode_buffer_heads(out, &e);
		if (pass == 0) {
			r = choose_region(out->fd, out->data, out->n_streams, &out->state.region);
			if (r < 0)
				return r;
		}
		place_streams(out);
	}
	out->slot = 1; /* the one whose rows were encoded last */
	trace_encode_patch_u64(&e, out->head_options, out->slots[1]);
	return write_encoded(out, &e);
}

/* The section with the data ends where the tail starts. */
static int close_data_section(struct trace_out *out, uint64_t end)
{
	uint8_t bytes[8];

	store_u64(bytes, end - out->data_section - 16, BYTES_HOST_BIG);
	return trace_out_pwrite(out->fd, bytes, sizeof(bytes), out->data_section + 8);
}

int trace_out_put_tail(struct trace_out *out, uint64_t end,
		       const struct trace_out_section *sections, size_t n_sections,
		       const struct trace_out_option *options, size_t n_options, uint64_t *ret_size)
{
	_cleanup_trace_encoder_ struct trace_encoder e = { .base = end,
							   .big_endian = BYTES_HOST_BIG };
	uint64_t at;
	int r;

	r = close_data_section(out, end);
	encode_sections(out, &e, sections, n_sections);
	out->state.stage = TRACE_FINISHED;
	at = encode_options(out, &e, 0, options, n_options);
	if (r == 0)
		r = write_encoded(out, &e);
	if (r == 0)
		r = point_head(out, at);
	if (r == 0)
		*ret_size = end + e.out.len;
	return r;
}

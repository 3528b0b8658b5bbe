/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/file/trace-encode.h"

#include <string.h>

#include "format/bytes.h"
#include "format/file/trace-file.h"

#define SECTION_SIZE_AT 8 /* of the size, in a section's header */
#define OPTION_SIZE_AT	2

void trace_encoder_done(struct trace_encoder *e)
{
	strbuf_done(&e->out);
}

void trace_encode_u16(struct trace_encoder *e, uint16_t v)
{
	uint8_t bytes[sizeof(v)];

	store_u16(bytes, v, e->big_endian);
	strbuf_add(&e->out, bytes, sizeof(bytes));
}

void trace_encode_u32(struct trace_encoder *e, uint32_t v)
{
	uint8_t bytes[sizeof(v)];

	store_u32(bytes, v, e->big_endian);
	strbuf_add(&e->out, bytes, sizeof(bytes));
}

void trace_encode_u64(struct trace_encoder *e, uint64_t v)
{
	uint8_t bytes[sizeof(v)];

	store_u64(bytes, v, e->big_endian);
	strbuf_add(&e->out, bytes, sizeof(bytes));
}

void trace_encode_bytes(struct trace_encoder *e, const void *bytes, size_t size)
{
	strbuf_add(&e->out, bytes, size);
}

void trace_encode_string(struct trace_encoder *e, const char *s)
{
	strbuf_add(&e->out, s, strlen(s) + 1);
}

void trace_encode_patch_u32(struct trace_encoder *e, uint64_t at, uint32_t v)
{
	if (e->out.err || at < e->base || at - e->base + sizeof(v) > e->out.len)
		return;
	store_u32(e->out.s + (at - e->base), v, e->big_endian);
}

void trace_encode_patch_u64(struct trace_encoder *e, uint64_t at, uint64_t v)
{
	if (e->out.err || at < e->base || at - e->base + sizeof(v) > e->out.len)
		return;
	store_u64(e->out.s + (at - e->base), v, e->big_endian);
}

uint64_t trace_encode_head(struct trace_encoder *e, const struct trace_head *head)
{
	uint64_t at;

	trace_encode_bytes(e, TRACE_FILE_MAGIC, sizeof(TRACE_FILE_MAGIC) - 1);
	trace_encode_string(e, head->version == 6 ? "6" : "7");
	strbuf_addc(&e->out, (char)e->big_endian);
	strbuf_addc(&e->out, (char)head->long_size);
	trace_encode_u32(e, head->page_size);
	if (head->version == 6)
		return 0;
	trace_encode_string(e, head->compression);
	trace_encode_string(e, head->compression_version);
	at = trace_encode_pos(e);
	trace_encode_u64(e, 0);
	return at;
}

uint64_t trace_encode_section(struct trace_encoder *e, uint16_t id, uint16_t flags,
			      uint32_t description)
{
	uint64_t at = trace_encode_pos(e);

	trace_encode_u16(e, id);
	trace_encode_u16(e, flags);
	trace_encode_u32(e, description);
	trace_encode_u64(e, 0);
	return at;
}

void trace_encode_section_end(struct trace_encoder *e, uint64_t section)
{
	uint64_t size_at = section + SECTION_SIZE_AT;

	trace_encode_patch_u64(e, size_at, trace_encode_pos(e) - size_at - sizeof(uint64_t));
}

void trace_encode_option(struct trace_encoder *e, uint16_t id, const void *data, uint32_t size)
{
	trace_encode_u16(e, id);
	trace_encode_u32(e, size);
	trace_encode_bytes(e, data, size);
}

void trace_encode_option_u64(struct trace_encoder *e, uint16_t id, uint64_t v)
{
	trace_encode_u16(e, id);
	trace_encode_u32(e, sizeof(v));
	trace_encode_u64(e, v);
}

uint64_t trace_encode_option_begin(struct trace_encoder *e, uint16_t id)
{
	uint64_t at = trace_encode_pos(e);

	trace_encode_u16(e, id);
	trace_encode_u32(e, 0);
	return at;
}

void trace_encode_option_end(struct trace_encoder *e, uint64_t option)
{
	uint64_t size_at = option + OPTION_SIZE_AT;

	trace_encode_patch_u32(e, size_at,
			       (uint32_t)(trace_encode_pos(e) - size_at - sizeof(uint32_t)));
}

void trace_encode_options_done(struct trace_encoder *e, uint64_t next)
{
	trace_encode_option_u64(e, TRACE_ID_DONE, next);
}

void trace_encode_text32(struct trace_encoder *e, const void *text, size_t size)
{
	trace_encode_u32(e, (uint32_t)size);
	trace_encode_bytes(e, text, size);
}

void trace_encode_text64(struct trace_encoder *e, const void *text, size_t size)
{
	trace_encode_u64(e, size);
	trace_encode_bytes(e, text, size);
}

void trace_encode_state(struct trace_encoder *e, const struct trace_state *state)
{
	uint64_t option = trace_encode_option_begin(e, TRACE_ID_FATHOM_STATE);

	trace_encode_u32(e, (uint32_t)state->stage);
	trace_encode_u32(e, 0);
	trace_encode_u64(e, state->region);
	trace_encode_u64(e, state->hole);
	trace_encode_u64(e, state->hole_size);
	trace_encode_u64(e, state->size_before);
	trace_encode_option_end(e, option);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes version 7, in this order: head, strings, sections, options, buffers. The options contain
 * the offset of each CPU's data, which is patched in when that is written.
 */
#include "format/compress/deflate.h"
#include "write/trace-dat-parts.h"

#define CPU_ROW		20 /* u32 CPU, u64 offset, u64 size */
#define SECTION_SIZE_AT 8 /* of the size, in a section's header */

static uint64_t trace_dat_v7_put_head(struct dat_out *out)
{
	enum compression compression = out->compression;
	struct trace_head head = {
		.version = 7,
		.long_size = (uint8_t)out->file->user_long_size,
		.page_size = out->plan->page_size,
		.compression = compression_name(compression),
		.compression_version = compression_version(compression),
	};

	return trace_encode_head(&out->e, &head);
}

static void put_buffer_option(struct dat_out *out, const struct trace_dat_buffer *buffer,
			      struct dat_places *places)
{
	struct trace_encoder *e = &out->e;
	uint64_t option = trace_encode_option_begin(e, buffer->is_text ? TRACE_ID_BUFFER_TEXT :
									 TRACE_ID_BUFFER);

	places->offset_at = trace_encode_pos(e);
	trace_encode_u64(e, 0);
	trace_encode_string(e, buffer->name);
	trace_encode_string(e, buffer->clock);
	if (!buffer->is_text) {
		trace_encode_u32(e, buffer->layout.size);
		trace_encode_u32(e, buffer->n_cpus);
		places->table_at = trace_encode_pos(e) + sizeof(uint32_t);
		places->stride = CPU_ROW;
		for (uint32_t i = 0; i < buffer->n_cpus; i++) {
			trace_encode_u32(e, buffer->cpus[i].cpu);
			trace_encode_u64(e, 0);
			trace_encode_u64(e, 0);
		}
	}
	trace_encode_option_end(e, option);
}

static int trace_dat_v7_put_options(struct dat_out *out)
{
	uint64_t section =
		trace_encode_section(&out->e, TRACE_ID_DONE, 0, out->plan->options_description);
	int r = dat_put_options(out);

	for (size_t i = 0; i < out->plan->n_buffers && r == 0; i++) {
		put_buffer_option(out, &out->plan->buffers[i], &out->places[i]);
		if (out->e.out.len > TRACE_OPTION_COPY_MAX)
			r = dat_flush(out);
	}
	trace_encode_options_done(&out->e, 0);
	return r == 0 ? dat_patch_u64(out, section + SECTION_SIZE_AT,
				      dat_pos(out) - section - SECTION_SIZE_AT - sizeof(uint64_t)) :
			r;
}

static int put_buffer(struct dat_out *out, const struct trace_dat_buffer *buffer,
		      const struct dat_places *places)
{
	uint64_t section = trace_encode_section(
		&out->e, buffer->is_text ? TRACE_ID_BUFFER_TEXT : TRACE_ID_BUFFER,
		out->pool ? TRACE_SECTION_COMPRESSED : 0, buffer->description);
	uint64_t start = dat_pos(out);
	int r = dat_patch_u64(out, places->offset_at, section);

	if (r == 0)
		r = buffer->is_text ? dat_put_text(out, buffer) :
				      dat_put_buffer(out, buffer, places);
	return r == 0 ? dat_patch_u64(out, section + SECTION_SIZE_AT, dat_pos(out) - start) : r;
}

int dat_write_v7(struct dat_out *out)
{
	uint64_t options_at = trace_dat_v7_put_head(out);
	int r = dat_put_strings(out);

	for (size_t i = 0; i < out->n_sections && r == 0; i++)
		r = dat_put_section(out, &out->sections[i]);
	if (r == 0)
		r = dat_patch_u64(out, options_at, dat_pos(out));
	if (r == 0)
		r = trace_dat_v7_put_options(out);
	for (size_t i = 0; i < out->plan->n_buffers && r == 0; i++)
		r = put_buffer(out, &out->plan->buffers[i], &out->places[i]);
	return r;
}

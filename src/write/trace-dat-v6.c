/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes version 6: consecutive bodies, options, a table of CPUs for each buffer, sections for
 * which version 6 has no place (fathom's extension), and the data.
 */
#include <errno.h>

#include "base/err.h"
#include "format/file/trace-body.h"
#include "write/trace-dat-parts.h"

#define CPU_ROW	 16 /* u64 offset, u64 size */
#define TAG_SIZE 10 /* "flyrecord" and the like, with the NUL */

static const struct trace_dat_buffer *trace_dat_v6_top_of(const struct trace_dat_plan *plan)
{
	for (size_t i = 0; i < plan->n_buffers; i++)
		if (!plan->buffers[i].name[0])
			return &plan->buffers[i];
	return NULL;
}

/* Version 6 has only one page size, and cannot have both text and events. */
static int trace_dat_v6_check(struct dat_out *out)
{
	const struct trace_dat_plan *plan = out->plan;

	for (size_t i = 0; i < plan->n_buffers; i++) {
		const struct trace_dat_buffer *buffer = &plan->buffers[i];

		if (buffer->is_text && (plan->n_buffers > 1 || buffer->name[0]))
			return err_set(
				out->err, -ENOTSUP,
				"version 6 does not support the text of a latency tracer (buffer "
				"'%s') together with other buffers: use version 7",
				buffer->name);
		if (!buffer->is_text && buffer->layout.size != plan->page_size)
			return err_set(
				out->err, -ENOTSUP,
				"version 6 does not support different page sizes (buffer '%s': %u "
				"bytes, others: %u): use version 7",
				buffer->name, buffer->layout.size, plan->page_size);
	}
	return 0;
}

static void trace_dat_v6_put_head(struct dat_out *out)
{
	struct trace_head head = {
		.version = 6,
		.long_size = (uint8_t)out->file->user_long_size,
		.page_size = out->plan->page_size,
	};

	trace_encode_head(&out->e, &head);
}

static int trace_dat_v6_put_options(struct dat_out *out)
{
	const struct trace_dat_plan *plan = out->plan;
	int r;

	trace_encode_bytes(&out->e, "options  ", TAG_SIZE);
	r = dat_put_options(out);
	for (size_t i = 0; i < plan->n_buffers && r == 0; i++) {
		uint64_t option;

		if (!plan->buffers[i].name[0])
			continue;
		option = trace_encode_option_begin(&out->e, TRACE_ID_BUFFER);
		out->places[i].offset_at = dat_pos(out);
		trace_encode_u64(&out->e, 0);
		trace_encode_string(&out->e, plan->buffers[i].name);
		trace_encode_option_end(&out->e, option);
	}
	trace_encode_u16(&out->e, TRACE_ID_DONE);
	return r;
}

static void trace_dat_v6_put_clock(struct dat_out *out, const char *clock)
{
	if (!out->has_clock)
		return;
	trace_encode_u64(&out->e, clock[0] ? strlen(clock) + 2 : 0);
	if (!clock[0])
		return;
	strbuf_addc(&out->e.out, '[');
	strbuf_add(&out->e.out, clock, strlen(clock));
	strbuf_addc(&out->e.out, ']');
}

/* CPUs without data have a row of zeros; holes also read as zeros. */
static int trace_dat_v6_put_table(struct dat_out *out, const char *clock, struct dat_places *places)
{
	uint64_t at = dat_pos(out);
	int r = 0;

	trace_encode_bytes(&out->e, "flyrecord", TAG_SIZE);
	if (places) {
		places->table_at = dat_pos(out);
		places->stride = CPU_ROW;
	}
	r = dat_skip(out, (uint64_t)out->plan->machine_cpus * CPU_ROW);
	trace_dat_v6_put_clock(out, clock);
	if (r == 0 && places && places->offset_at)
		r = dat_patch_u64(out, places->offset_at, at);
	return r;
}

static int put_tables(struct dat_out *out)
{
	const struct trace_dat_buffer *top = trace_dat_v6_top_of(out->plan);
	int r = trace_dat_v6_put_table(out, top ? top->clock : out->file->clock,
				       top ? &out->places[top - out->plan->buffers] : NULL);

	for (size_t i = 0; i < out->plan->n_buffers && r == 0; i++)
		if (&out->plan->buffers[i] != top)
			r = trace_dat_v6_put_table(out, out->plan->buffers[i].clock,
						   &out->places[i]);
	return r;
}

/* Writes the sections that options refer to. */
static int put_appended(struct dat_out *out)
{
	int r = 0;

	for (size_t i = 0; i < out->n_sections && r == 0; i++)
		if (out->sections[i].pointer_at)
			r = dat_put_section(out, &out->sections[i]);
	return r;
}

int dat_write_v6(struct dat_out *out)
{
	const struct trace_dat_buffer *top = trace_dat_v6_top_of(out->plan);
	int r = trace_dat_v6_check(out);

	trace_dat_v6_put_head(out);
	for (size_t i = 0; i < TRACE_BODIES && r == 0; i++)
		r = dat_put_body(out, trace_bodies[i]);
	trace_encode_u32(&out->e, out->plan->machine_cpus);
	if (r == 0)
		r = trace_dat_v6_put_options(out);
	if (r == 0 && top && top->is_text) {
		trace_encode_bytes(&out->e, "latency  ", TAG_SIZE);
		return dat_put_text(out, top);
	}
	if (r == 0)
		r = put_tables(out);
	if (r == 0)
		r = put_appended(out);
	for (size_t i = 0; i < out->plan->n_buffers && r == 0; i++)
		r = dat_put_buffer(out, &out->plan->buffers[i], &out->places[i]);
	return r;
}

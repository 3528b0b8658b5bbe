/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that are being recorded, or whose recorder died: finds the end of each CPU's data. Pages
 * are written consecutively, and the rest of a region is a hole that reads as zeros, so bisection
 * finds the end.
 */
#include "format/bytes.h"
#include "format/file/trace-file-parts.h"

#define PAGE_HEAD_SIZE 16 /* timestamp and length: never all zeros in a written page */

int trace_state_option(struct trace_file *file, struct reader *reader)
{
	struct trace_state state = { 0 };
	uint32_t stage = reader_u32(reader);

	reader_u32(reader);
	state.region = reader_u64(reader);
	state.hole = reader_u64(reader);
	state.hole_size = reader_u64(reader);
	state.size_before = reader_u64(reader);
	if (reader->failed || stage > TRACE_PACKING)
		return 0;
	state.stage = (enum trace_stage)stage;
	file->state = state;
	return 0;
}

static bool is_written(const struct view *view, uint64_t offset)
{
	uint8_t head[PAGE_HEAD_SIZE];

	if (view->read(view->ctx, offset, head, sizeof(head)) != (long)sizeof(head))
		return false;
	return load_u64(head, false) || load_u64(head + 8, false);
}

/* Returns the number of pages written from @offset on. Page @low - 1 is written, @high is not. */
static uint64_t bisect_end(const struct view *view, uint64_t offset, uint32_t page_size,
			   uint64_t low, uint64_t high)
{
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (is_written(view, offset + mid * page_size))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void trace_state_correct(const struct trace_file *file, uint32_t page_size, struct trace_cpu *cpu)
{
	const struct trace_state *state = &file->state;
	uint64_t low, high, end, step = 1;

	if (state->stage == TRACE_PACKING) {
		if (state->hole_size && cpu->offset > state->hole &&
		    cpu->offset - state->hole >= state->hole_size &&
		    file->view.size == state->size_before - state->hole_size)
			cpu->offset -= state->hole_size;
		return;
	}
	/* Sizes from a damaged file: reading heads of smaller pages would exceed the view. */
	if (page_size < PAGE_HEAD_SIZE || cpu->offset >= file->view.size)
		return;
	end = file->view.size - cpu->offset;
	if (end > state->region)
		end = state->region;
	end /= page_size;
	low = cpu->size / page_size;
	/* The table lacks only a few pages, so search close to it first. */
	for (high = low; high < end; high = low + step) {
		if (!is_written(&file->view, cpu->offset + high * page_size))
			break;
		low = high + 1;
		step *= 2;
	}
	if (high > end)
		high = end;
	low = bisect_end(&file->view, cpu->offset, page_size, low, high);
	if (low * page_size > cpu->size)
		cpu->size = low * page_size;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of a trace file. All options are kept and can be listed; those that affect reading
 * have a function here. An unknown, short or malformed option is never an error.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "format/file/trace-file-parts.h"

/* Returns the option as a string in the arena, truncated to TRACE_OPTION_COPY_MAX. */
static char *trace_file_options_text_of(struct trace_file *file, struct reader *reader,
					size_t *ret_len)
{
	uint64_t left = reader_left(reader);
	size_t len = left < TRACE_OPTION_COPY_MAX ? (size_t)left : TRACE_OPTION_COPY_MAX;
	char *text = arena_alloc(&file->arena, len + 1);

	if (!text)
		return NULL;
	reader_bytes(reader, text, len);
	text[len] = '\0';
	if (ret_len)
		*ret_len = len;
	return text;
}

static int on_number(struct reader *reader, uint64_t factor, int64_t *sum)
{
	char text[64] = { 0 };
	size_t len = reader_left(reader) < sizeof(text) - 1 ? (size_t)reader_left(reader) :
							      sizeof(text) - 1;

	reader_bytes(reader, text, len);
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)strtoll(text, NULL, 0) * factor);
	return 0;
}

static int on_date(struct trace_file *file, struct reader *reader)
{
	return on_number(reader, 1000, &file->date_offset);
}

static int on_offset(struct trace_file *file, struct reader *reader)
{
	return on_number(reader, 1, &file->ts_offset);
}

static int on_buffer(struct trace_file *file, struct reader *reader)
{
	return trace_buffer_option(file, reader, false);
}

static int on_buffer_text(struct trace_file *file, struct reader *reader)
{
	return trace_buffer_option(file, reader, true);
}

int trace_clock_parse(struct trace_file *file, const char *text, size_t len, const char **ret_clock)
{
	const char *open = memchr(text, '[', len), *close;

	*ret_clock = "";
	if (!open)
		return 0;
	open++;
	close = memchr(open, ']', len - (size_t)(open - text));
	if (!close || close == open)
		return 0;
	*ret_clock = arena_strndup(&file->arena, open, (size_t)(close - open));
	return *ret_clock ? 0 : -ENOMEM;
}

static int on_clock(struct trace_file *file, struct reader *reader)
{
	const char *clock;
	size_t len;
	char *text = trace_file_options_text_of(file, reader, &len);

	if (!text || trace_clock_parse(file, text, len, &clock) < 0)
		return -ENOMEM;
	file->has_clock_table = true;
	if (clock[0])
		file->clock = clock;
	return 0;
}

static int on_uname(struct trace_file *file, struct reader *reader)
{
	file->uname = trace_file_options_text_of(file, reader, NULL);
	return file->uname ? 0 : -ENOMEM;
}

static int on_version(struct trace_file *file, struct reader *reader)
{
	file->tracer_version = trace_file_options_text_of(file, reader, NULL);
	return file->tracer_version ? 0 : -ENOMEM;
}

static int on_cpu_count(struct trace_file *file, struct reader *reader)
{
	uint32_t n = reader_u32(reader);

	if (!reader->failed)
		file->n_cpus = n;
	return 0;
}

static int on_trace_id(struct trace_file *file, struct reader *reader)
{
	uint64_t id = reader_u64(reader);

	if (!reader->failed)
		file->trace_id = id;
	return 0;
}

static int on_tsc(struct trace_file *file, struct reader *reader)
{
	uint32_t mult = reader_u32(reader), shift = reader_u32(reader);
	uint64_t offset = reader_u64(reader);

	if (!reader->failed) {
		file->tsc_mult = mult;
		file->tsc_shift = shift;
		file->tsc_offset = offset;
	}
	return 0;
}

static int read_samples(struct trace_file *file, struct reader *reader, struct time_shift_cpu *cpu)
{
	uint32_t n = reader_u32(reader);

	if (reader->failed || n > reader_left(reader) / 24) {
		reader->failed = true;
		return 0;
	}
	cpu->samples = arena_zalloc(&file->arena, n, sizeof(*cpu->samples));
	if (!cpu->samples)
		return -ENOMEM;
	cpu->count = n;
	for (uint32_t i = 0; i < n; i++)
		cpu->samples[i].time = reader_u64(reader);
	for (uint32_t i = 0; i < n; i++)
		cpu->samples[i].offset = (int64_t)reader_u64(reader);
	for (uint32_t i = 0; i < n; i++)
		cpu->samples[i].scaling = reader_u64(reader);
	return 0;
}

static int on_time_shift(struct trace_file *file, struct reader *reader)
{
	uint64_t at = reader->pos;
	struct time_shift *shift = arena_zalloc(&file->arena, 1, sizeof(*shift));
	int r = 0;

	if (!shift)
		return -ENOMEM;
	shift->peer = reader_u64(reader);
	shift->flags = reader_u32(reader);
	shift->n_cpus = reader_u32(reader);
	if (!reader->failed && shift->n_cpus <= reader_left(reader) / 4) {
		shift->cpus = arena_zalloc(&file->arena, shift->n_cpus, sizeof(*shift->cpus));
		if (!shift->cpus)
			return -ENOMEM;
		for (uint32_t i = 0; i < shift->n_cpus && r == 0 && !reader->failed; i++)
			r = read_samples(file, reader, &shift->cpus[i]);
	} else {
		reader->failed = true;
	}
	/* Older files have no fraction. */
	if (reader_left(reader))
		for (uint32_t i = 0; i < shift->n_cpus && !reader->failed; i++)
			for (uint32_t k = 0; k < shift->cpus[i].count; k++)
				shift->cpus[i].samples[k].fraction = reader_u64(reader);
	if (r < 0)
		return r;
	if (reader->failed) {
		damage_add(&file->damage, at, "correction to the host's clock truncated");
		return 0;
	}
	for (uint32_t i = 0; i < shift->n_cpus; i++)
		time_shift_sort(&shift->cpus[i]);
	file->shift = shift;
	return 0;
}

static int on_guest(struct trace_file *file, struct reader *reader)
{
	struct trace_guest guest = { 0 };
	uint64_t at = reader->pos;

	guest.name = arena_strdup(&file->arena, reader_string(reader));
	if (!guest.name)
		return -ENOMEM;
	guest.trace_id = reader_u64(reader);
	guest.n_cpus = reader_u32(reader);
	if (reader->failed || guest.n_cpus > reader_left(reader) / 8) {
		damage_add(&file->damage, at, "guest description truncated");
		return 0;
	}
	guest.pids = arena_zalloc(&file->arena, guest.n_cpus, sizeof(*guest.pids));
	if (!guest.pids)
		return -ENOMEM;
	for (uint32_t i = 0; i < guest.n_cpus; i++) {
		uint32_t cpu = reader_u32(reader);
		int32_t pid = (int32_t)reader_u32(reader);

		if (cpu < guest.n_cpus)
			guest.pids[cpu] = pid;
	}
	if (mem_reserve(&file->guests, &file->cap_guests, file->n_guests + 1,
			sizeof(*file->guests)) < 0)
		return -ENOMEM;
	file->guests[file->n_guests++] = guest;
	return 0;
}

/* Options that contain the offset of a section. */
static int on_section(struct trace_file *file, struct reader *reader, unsigned id)
{
	uint64_t offset = reader_u64(reader);

	if (!reader->failed)
		file->section_at[id] = offset;
	return 0;
}

typedef int (*option_fn)(struct trace_file *file, struct reader *reader);

static const option_fn option_fns[] = {
	[TRACE_ID_DATE] = on_date,
	[TRACE_ID_BUFFER] = on_buffer,
	[TRACE_ID_TRACECLOCK] = on_clock,
	[TRACE_ID_UNAME] = on_uname,
	[TRACE_ID_OFFSET] = on_offset,
	[TRACE_ID_CPUCOUNT] = on_cpu_count,
	[TRACE_ID_VERSION] = on_version,
	[TRACE_ID_TRACEID] = on_trace_id,
	[TRACE_ID_TIME_SHIFT] = on_time_shift,
	[TRACE_ID_GUEST] = on_guest,
	[TRACE_ID_TSC2NSEC] = on_tsc,
	[TRACE_ID_BUFFER_TEXT] = on_buffer_text,
};

static bool points_at_section(unsigned id)
{
	return (id >= TRACE_ID_HEADER_INFO && id <= TRACE_ID_CMDLINES) || id == TRACE_ID_BTF_FILE ||
	       id == TRACE_ID_MODULES_FILE;
}

static int keep_option(struct trace_file *file, struct reader *reader, struct trace_option *option)
{
	if (file->n_options >= TRACE_OPTIONS_MAX)
		return 0;
	if (option->size <= TRACE_OPTION_COPY_MAX &&
	    option->size <= TRACE_OPTIONS_MEM_MAX - file->options_mem) {
		uint64_t at = reader->pos;
		uint8_t *copy = arena_alloc(&file->arena, (size_t)option->size + 1);

		if (!copy)
			return -ENOMEM;
		reader_bytes(reader, copy, option->size);
		copy[option->size] = 0;
		reader->pos = at;
		option->data = copy;
		file->options_mem += option->size;
	}
	if (mem_reserve(&file->options, &file->cap_options, file->n_options + 1,
			sizeof(*file->options)) < 0)
		return -ENOMEM;
	file->options[file->n_options++] = *option;
	return 0;
}

/* Limits the option's function to the bytes of the option. */
static int run_option(struct trace_file *file, struct reader *reader, unsigned id, uint32_t size)
{
	uint64_t end = reader->end, next = reader->pos + size;
	bool failed = reader->failed;
	int r = 0;

	reader->end = next;
	/* Version 6: the options before a buffer's table only contain the number of its CPUs. */
	if (file->parsing_buffer && id != TRACE_ID_CPUCOUNT)
		r = 0;
	else if (points_at_section(id))
		r = on_section(file, reader, id);
	else if (id < ARRAY_SIZE(option_fns) && option_fns[id])
		r = option_fns[id](file, reader);
	else if (id == TRACE_ID_FATHOM_STATE)
		r = trace_state_option(file, reader);
	reader->end = end;
	reader->pos = next;
	reader->failed = failed;
	return r;
}

int trace_options_parse(struct trace_file *file, struct reader *reader, uint64_t in_file,
			uint64_t *ret_next)
{
	*ret_next = 0;
	for (;;) {
		uint64_t at = reader->pos;
		struct trace_option option = { .id = reader_u16(reader) };
		int r;

		if (!reader->failed && option.id == TRACE_ID_DONE && file->version == 6)
			return 0;
		option.size = reader_u32(reader);
		option.offset = in_file ?: reader->pos;
		if (reader->failed || option.size > reader_left(reader)) {
			reader->failed = true;
			damage_add(&file->damage, in_file ?: at, "options truncated");
			return 0;
		}
		if (option.id == TRACE_ID_DONE) {
			*ret_next = reader_u64(reader);
			if (option.size < 8 || reader->failed)
				*ret_next = 0;
			return 0;
		}
		r = keep_option(file, reader, &option);
		if (r == 0)
			r = run_option(file, reader, option.id, option.size);
		if (r < 0)
			return r;
	}
}

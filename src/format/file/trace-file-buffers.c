/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers of a trace file: the option that describes one, and its table of CPUs. */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "format/file/trace-file-parts.h"

int trace_buffer_add(struct trace_file *file, const char *name, struct trace_buffer **ret_buffer)
{
	struct trace_buffer *buffer;
	char *copy;

	if (file->n_buffers >= TRACE_BUFFERS_MAX)
		return -E2BIG;
	copy = arena_strdup(&file->arena, name);
	if (!copy || mem_reserve(&file->buffers, &file->cap_buffers, file->n_buffers + 1,
				 sizeof(*file->buffers)) < 0)
		return -ENOMEM;
	buffer = &file->buffers[file->n_buffers++];
	memset(buffer, 0, sizeof(*buffer));
	buffer->name = copy;
	buffer->clock = "";
	*ret_buffer = buffer;
	return 0;
}

static int trace_file_buffers_by_cpu(const void *a, const void *b)
{
	const struct trace_cpu *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Truncates the CPU's data at the end of the file, with a note. */
static void cut_cpu(struct trace_file *file, const struct trace_buffer *buffer,
		    struct trace_cpu *cpu, uint64_t at)
{
	uint64_t there = cpu->offset < file->view.size ? file->view.size - cpu->offset : 0;

	if (cpu->size <= there)
		return;
	damage_add(&file->damage, there ? file->view.size : at,
		   "data of CPU %u%s%.40s truncated: %llu of %llu bytes present", cpu->cpu,
		   buffer->name[0] ? " of buffer " : "", buffer->name, (unsigned long long)there,
		   (unsigned long long)cpu->size);
	cpu->size = there;
}

/* Two areas of one CPU cannot both be in time order; keep the first. */
static void drop_doubles(struct trace_file *file, struct trace_buffer *buffer)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < buffer->n_cpus; i++) {
		if (kept && buffer->cpus[kept - 1].cpu == buffer->cpus[i].cpu)
			damage_add(&file->damage, buffer->offset,
				   "duplicate description of CPU %u; the second one is ignored",
				   buffer->cpus[i].cpu);
		else
			buffer->cpus[kept++] = buffer->cpus[i];
	}
	buffer->n_cpus = kept;
}

int trace_buffer_cpus(struct trace_file *file, struct trace_buffer *buffer, struct reader *reader,
		      uint32_t n, bool numbered)
{
	size_t cap = 0;

	if (n > TRACE_CPUS_MAX) {
		damage_add(&file->damage, reader->pos, "invalid number of CPUs in a buffer: %u", n);
		n = 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = reader->pos;
		struct trace_cpu cpu = { .cpu = i };

		if (numbered)
			cpu.cpu = reader_u32(reader);
		cpu.offset = reader_u64(reader);
		cpu.size = reader_u64(reader);
		if (reader->failed) {
			damage_add(&file->damage, at, "CPU table truncated after %u of %u entries",
				   i, n);
			break;
		}
		if (file->state.stage != TRACE_FINISHED && numbered)
			trace_state_correct(file, buffer->layout.size, &cpu);
		cut_cpu(file, buffer, &cpu, at);
		if (!cpu.size)
			continue;
		if (file->n_streams >= TRACE_STREAMS_MAX || cpu.cpu >= TRACE_CPUS_MAX) {
			damage_add(&file->damage, at, "too many CPUs; CPU %u is ignored", cpu.cpu);
			continue;
		}
		if (mem_reserve(&buffer->cpus, &cap, buffer->n_cpus + 1, sizeof(cpu)) < 0)
			return -ENOMEM;
		buffer->cpus[buffer->n_cpus++] = cpu;
		file->n_streams++;
	}
	if (numbered && buffer->n_cpus) {
		qsort(buffer->cpus, buffer->n_cpus, sizeof(*buffer->cpus),
		      trace_file_buffers_by_cpu);
		drop_doubles(file, buffer);
	}
	return 0;
}

/* The header of the buffer's section says whether its data is compressed. */
static void read_buffer_header(struct trace_file *file, struct trace_buffer *buffer)
{
	struct reader reader;
	uint16_t id, flags;
	uint64_t size;

	reader_init(&reader, &file->view, buffer->offset, file->view.size, file->big_endian);
	id = reader_u16(&reader);
	flags = reader_u16(&reader);
	buffer->description_id = reader_u32(&reader);
	size = reader_u64(&reader);
	if (reader.failed || (id != TRACE_ID_BUFFER && id != TRACE_ID_BUFFER_TEXT)) {
		damage_add(&file->damage, buffer->offset,
			   "no buffer section at the expected offset");
		/* Assume the same as for the rest of the file. */
		buffer->compressed = file->compression != COMPRESSION_NONE;
		return;
	}
	buffer->compressed = flags & TRACE_SECTION_COMPRESSED;
	if (buffer->is_text) {
		buffer->offset = reader.pos;
		buffer->text_size = size < reader_left(&reader) ? size : reader_left(&reader);
	}
}

int trace_buffer_option(struct trace_file *file, struct reader *reader, bool is_text)
{
	uint64_t at = reader->pos, offset = reader_u64(reader);
	struct trace_buffer *buffer;
	uint32_t n;
	int r;

	r = trace_buffer_add(file, reader_string(reader), &buffer);
	if (r == -E2BIG)
		damage_add(&file->damage, at, "too many buffers; the others are ignored");
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	buffer->offset = offset;
	buffer->is_text = is_text;
	if (file->version == 6)
		return 0;
	buffer->clock = arena_strdup(&file->arena, reader_string(reader));
	if (!buffer->clock)
		return -ENOMEM;
	read_buffer_header(file, buffer);
	if (is_text)
		return 0;
	buffer->layout.size = reader_u32(reader);
	n = reader_u32(reader);
	if (reader->failed) {
		damage_add(&file->damage, at, "buffer description truncated");
		return 0;
	}
	return trace_buffer_cpus(file, buffer, reader, n, true);
}

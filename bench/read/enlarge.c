/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-enlarge FILE TIMES OUT: writes an uncompressed version 6 file with one buffer, which
 * contains the pages of each CPU TIMES times, each time shifted by the duration of the recording.
 * Everything else is copied.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include <fathom/fathom.h>

#include "base/mem.h"
#include "format/bytes.h"

static void die(const char *what)
{
	fprintf(stderr, "bench-enlarge: %s\n", what);
	exit(1);
}

static void put(FILE *out, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, out) != size)
		die("cannot write");
}

static uint64_t span(struct fathom_trace *trace)
{
	struct fathom_cursor *cursor;
	struct fathom_event first, last;

	if (fathom_cursor_new(trace, NULL, &cursor, NULL) < 0 ||
	    fathom_cursor_next(cursor, &first) != 1 || fathom_cursor_last(cursor, 1, NULL) < 0 ||
	    fathom_cursor_next(cursor, &last) != 1)
		die("no events");
	fathom_cursor_free(cursor);
	return last.time - first.time + 1000000;
}

/* Writes the head of the file with a new table of CPUs. Returns the offset of the data. */
static void put_head(FILE *out, int in, struct fathom_trace *trace, uint64_t times)
{
	struct fathom_trace_cpu cpu;
	uint64_t head, offset;
	uint8_t *bytes, *table, *row;

	if (fathom_trace_buffer_cpu(trace, 0, 0, &cpu) < 0)
		die("no CPUs");
	head = offset = cpu.offset;
	bytes = mem_alloc(head);
	if (!bytes || pread(in, bytes, head, 0) != (ssize_t)head)
		die("cannot read");
	table = memmem(bytes, head, "flyrecord", 10);
	if (!table)
		die("no table of CPUs");
	for (size_t i = 0; fathom_trace_buffer_cpu(trace, 0, i, &cpu) == 0; i++) {
		row = table + 10 + (size_t)cpu.cpu * 16;
		store_u64(row, offset, false);
		store_u64(row + 8, cpu.size * times, false);
		offset += cpu.size * times;
	}
	put(out, bytes, head);
	free(bytes);
}

static void put_cpu(FILE *out, int in, const struct fathom_trace_cpu *cpu, uint64_t times,
		    uint64_t later, uint32_t page_size)
{
	uint8_t *pages = mem_alloc(cpu->size);

	if (!pages || pread(in, pages, cpu->size, (off_t)cpu->offset) != (ssize_t)cpu->size)
		die("cannot read");
	for (uint64_t t = 0; t < times; t++) {
		put(out, pages, cpu->size);
		for (uint64_t at = 0; at < cpu->size; at += page_size)
			store_u64(pages + at, load_u64(pages + at, false) + later, false);
	}
	free(pages);
}

int main(int argc, char **argv)
{
	struct fathom_err err = { 0 };
	struct fathom_trace_buffer buffer;
	struct fathom_trace *trace;
	struct fathom_trace_cpu cpu;
	uint64_t times, later;
	FILE *out;
	int in;

	if (argc != 4)
		die("usage: bench-enlarge FILE TIMES OUT");
	times = strtoull(argv[2], NULL, 10);
	if (fathom_trace_open(argv[1], FATHOM_OPEN_RAW_TIME, &trace, &err) < 0)
		die(fathom_err_text(&err));
	if (fathom_trace_info(trace)->version != 6 || fathom_trace_info(trace)->buffers != 1 ||
	    fathom_trace_info(trace)->big_endian || fathom_trace_buffer(trace, 0, &buffer) < 0)
		die("only for little-endian files of version 6 with one buffer");
	in = open(argv[1], O_RDONLY | O_CLOEXEC);
	out = fopen(argv[3], "we");
	if (in < 0 || !out)
		die("cannot open");
	later = span(trace);
	put_head(out, in, trace, times);
	for (size_t i = 0; fathom_trace_buffer_cpu(trace, 0, i, &cpu) == 0; i++)
		put_cpu(out, in, &cpu, times, later, buffer.page_size);
	if (fclose(out) != 0)
		die("cannot write");
	close(in);
	fathom_trace_free(trace);
	return 0;
}

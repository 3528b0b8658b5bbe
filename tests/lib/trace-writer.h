/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes trace files in a few lines:
 *
 *	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
 *	page_writer_event(trace_writer_cpu(w, 0, 3), 1000, 5, 42, 16);
 *	trace_writer_save(w, path);
 *	trace_writer_free(w);
 *
 * Buffer 0 is the top one. A failed allocation is remembered and makes the save fail.
 */
#ifndef FATHOM_TESTS_TRACE_WRITER_H
#define FATHOM_TESTS_TRACE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "format/compress/inflate.h"
#include "page-writer.h"

struct trace_format {
	const char *system; /* "ftrace" and others; those of one system are adjacent */
	const char *text;
};

/* Zero means the usual value, which is named in the comment. */
struct trace_config {
	unsigned version; /* 6 */
	enum compression compression; /* none; only in version 7 */
	bool packed_options; /* no; only with a compression. trace-cmd never does this */
	bool big_endian;
	uint32_t long_size; /* 8 */
	uint32_t page_size; /* 4096 */
	uint32_t chunk_pages; /* 10 */
	const char *clock; /* "local" */
	const struct trace_format *formats; /* up to one without a system; one that says nothing */
	const char *kallsyms; /* "some text" */
	const char *cmdlines; /* "42 test\n" */
};

struct trace_writer;

struct trace_writer *trace_writer_new(const struct trace_config *config);
void trace_writer_free(struct trace_writer *w);
/* Adds a buffer and returns its number. */
unsigned trace_writer_buffer(struct trace_writer *w, const char *name);
/* Where the events of a CPU go, until another CPU is asked for; NULL after a failed allocation. */
struct page_writer *trace_writer_cpu(struct trace_writer *w, unsigned buffer, unsigned cpu);
/* Adds an option with these bytes. */
void trace_writer_option(struct trace_writer *w, uint16_t id, const void *data, uint32_t size);
/* The file's bytes are appended to @out. 0 or -ENOMEM. */
int trace_writer_bytes(struct trace_writer *w, struct strbuf *out);
/* 0 or a negative errno. */
int trace_writer_save(struct trace_writer *w, const char *path);

/*
 * A sparse file of version 6: @n_cpus CPUs with @pages pages each. The first and the last @dense
 * pages are written, and between them one page in @every; what is not written is a hole. Page p
 * starts at the time SPARSE_TIME(p) and has SPARSE_EVENTS events, SPARSE_STEP apart. 0 or errno.
 */
#define SPARSE_EVENTS  8
#define SPARSE_STEP    100
#define SPARSE_TIME(p) (1000000 + (uint64_t)(p)*1000)
int trace_writer_sparse(const char *path, unsigned n_cpus, uint64_t pages, uint64_t dense,
			uint64_t every);

#endif

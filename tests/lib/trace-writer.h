/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates trace files in a few lines:
 *
 *	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
 *	page_writer_event(trace_writer_cpu(w, 0, 3), 1000, 5, 42, 16);
 *	trace_writer_save(w, path);
 *	trace_writer_free(w);
 *
 * Buffer 0 is the top-level one. After a failed allocation, saving fails.
 */
#ifndef FATHOM_TESTS_TRACE_WRITER_H
#define FATHOM_TESTS_TRACE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "format/compress/inflate.h"
#include "page-writer.h"

struct trace_format {
	const char *system; /* "ftrace" and others; formats of one system are adjacent */
	const char *text;
};

/* Zero means the default, which is named in the comment. */
struct trace_config {
	unsigned version; /* 6 */
	enum compression compression; /* none; only in version 7 */
	bool packed_options; /* no; only with a compression. trace-cmd never does this */
	bool big_endian;
	uint32_t long_size; /* 8 */
	uint32_t page_size; /* 4096 */
	uint32_t chunk_pages; /* 10 */
	const char *clock; /* "local" */
	const struct trace_format *formats; /* at most one without a system; a default one */
	const char *kallsyms; /* "some text" */
	const char *cmdlines; /* "42 test\n" */
};

struct trace_writer;

struct trace_writer *trace_writer_new(const struct trace_config *config);
void trace_writer_free(struct trace_writer *w);
/* Adds a buffer and returns its number. */
unsigned trace_writer_buffer(struct trace_writer *w, const char *name);
/*
 * Returns where the events of a CPU go, until another CPU is requested; NULL after a failed
 * allocation.
 */
struct page_writer *trace_writer_cpu(struct trace_writer *w, unsigned buffer, unsigned cpu);
/* Adds an option with these bytes. */
void trace_writer_option(struct trace_writer *w, uint16_t id, const void *data, uint32_t size);
/* Appends the bytes of the file to @out. Returns 0 or -ENOMEM. */
int trace_writer_bytes(struct trace_writer *w, struct strbuf *out);
/* Returns 0 or a negative errno. */
int trace_writer_save(struct trace_writer *w, const char *path);

/*
 * Writes a sparse file of version 6: @n_cpus CPUs with @pages pages each. The first and the last
 * @dense pages are written, and one page in @every in between; the rest are holes. Page p starts at
 * the time SPARSE_TIME(p) and has SPARSE_EVENTS events, SPARSE_STEP apart. Returns 0 or a positive
 * errno.
 */
#define SPARSE_EVENTS  8
#define SPARSE_STEP    100
#define SPARSE_TIME(p) (1000000 + (uint64_t)(p)*1000)
int trace_writer_sparse(const char *path, unsigned n_cpus, uint64_t pages, uint64_t dense,
			uint64_t every);

#endif

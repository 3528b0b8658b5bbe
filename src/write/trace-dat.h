/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes trace.dat files from open traces: in version 6 or 7, compressed or not, with all events or
 * a part of them. Everything else is kept: the description of the kernel, its types and modules,
 * options (including unknown ones), buffers with their clocks and page sizes, the byte order. In
 * the file, everything else precedes the events.
 *
 * Damaged parts of the trace are dropped or repaired, so that the new file is valid, and noted as
 * damage of the trace. Memory use does not grow with the trace. Functions that return int return 0
 * or a negative errno unless they say otherwise. A writer, and the trace of its plan, are used by
 * one thread at a time.
 */
#ifndef FATHOM_WRITE_TRACE_DAT_H
#define FATHOM_WRITE_TRACE_DAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>
#include <fathom/trace.h>

#include "base/strbuf.h"
#include "format/compress/inflate.h"
#include "read/page-feed.h"

struct trace_dat_options {
	bool as_it_is; /* use version and compression of the trace */
	unsigned version; /* 6 or 7; 0: 7 */
	enum compression compression; /* must be none in version 6 */
	int level; /* of the compression; 0: default */
	unsigned threads; /* for compression; 0: one per CPU of this machine, within limits */
	/*
	 * Called repeatedly, by the writing thread, with the bytes of events read so far; may be
	 * NULL.
	 */
	void (*progress)(void *data, uint64_t done, uint64_t total);
	void *progress_data;
};

/* A CPU of a buffer. */
struct trace_dat_cpu {
	uint32_t cpu;
	/* where its pages are; NULL: in a file that contains only these */
	const struct trace_stream *of;
	int fd; /* that file, not closed by the writer */
	uint64_t size; /* of that file, in bytes */
	const struct stream_mark *from, *to; /* both or none: only the events between them */
};

struct trace_dat_buffer {
	const char *name, *clock;
	struct page_layout layout;
	uint32_t description; /* of its section, an offset in the strings of the trace */
	size_t text; /* if it is text, the number of the buffer in the trace */
	bool is_text;
	struct trace_dat_cpu *cpus;
	uint32_t n_cpus;
};

/*
 * A file to be written. The plan owns the arrays @buffers and @cpus, and refers to everything else.
 */
struct trace_dat_plan {
	struct fathom_trace *trace; /* source of everything except the events */
	/* kernel symbols to use instead of those of @trace; NULL: none */
	const struct strbuf *symbols;
	struct trace_dat_buffer *buffers;
	size_t n_buffers;
	struct trace_dat_cpu *cpus; /* of all buffers */
	uint32_t page_size; /* of the top-level buffer, in bytes */
	uint32_t machine_cpus;
	uint32_t options_description;
	uint64_t bytes; /* of events to be read, for progress */
};

/* Plans to write all of @trace, which must outlive the plan. Returns 0 or -ENOMEM. */
int trace_dat_plan_init(struct trace_dat_plan *plan, struct fathom_trace *trace);
void trace_dat_plan_done(struct trace_dat_plan *plan);

/* Writes files of one format; owns the threads for compression. */
struct trace_dat_writer;

/*
 * @options are copied. @size, in bytes of the trace, decides whether threads are worthwhile. Starts
 * the threads, so it must be called before entering a sandbox.
 */
int trace_dat_writer_new(const struct trace_dat_options *options, uint64_t size,
			 struct trace_dat_writer **ret_writer, struct fathom_err *err);
void trace_dat_writer_free(struct trace_dat_writer *writer);
/*
 * Writes to @fd, an empty regular file that is open for reading and writing and stays the caller's.
 * After a failure, its contents are undefined.
 */
int trace_dat_write(struct trace_dat_writer *writer, const struct trace_dat_plan *plan, int fd,
		    struct fathom_err *err);

/*
 * Converts the trace file @in to @out, possibly the same file. An existing file @out is replaced on
 * success, and left unchanged otherwise. Returns 1 if @in is damaged, else 0, or a negative errno.
 */
int trace_dat_convert(const char *in, const char *out, const struct trace_dat_options *options,
		      struct fathom_err *err);
/*
 * The same from the open file @in, called @name in messages, to the empty file @out. Both stay the
 * caller's. Returns 0 or a negative errno.
 */
int trace_dat_convert_fd(int in, const char *name, const struct trace_dat_options *options, int out,
			 struct fathom_err *err);

#endif

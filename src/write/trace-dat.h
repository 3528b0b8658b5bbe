/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing trace.dat files out of traces that are open: in version 6 or 7, compressed or
 * not, with all events or some. All else is kept: what describes the kernel, its types
 * and modules, options (also those that nobody here knows), buffers with their clocks and
 * page sizes, the byte order. The file is laid out so that all of it but the events
 * stands before them.
 *
 * What is damaged in the trace is left out or mended, so that the new file is sound, and
 * noted as damage of the trace. The memory that is taken does not grow with the trace.
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
	bool as_it_is; /* version and compression are those of the trace */
	unsigned version; /* 6 or 7; 0 is 7 */
	enum compression compression; /* none in version 6 */
	int level; /* of the compression; 0 is the usual one */
	unsigned threads; /* that compress; 0: one for each CPU of this machine, within bounds */
	/* Told now and then how many bytes of the events were read, of how many; may be NULL. */
	void (*progress)(void *data, uint64_t done, uint64_t total);
	void *progress_data;
};

/* One CPU of a buffer. */
struct trace_dat_cpu {
	uint32_t cpu;
	const struct trace_stream *of; /* where its pages are; NULL: in a file of their own, */
	int fd; /* this one, */
	uint64_t size; /* of so many bytes */
	const struct stream_mark *from, *to; /* both or none: only the events between them */
};

struct trace_dat_buffer {
	const char *name, *clock;
	struct page_layout layout;
	uint32_t description; /* of its section, in the strings of the trace */
	size_t text; /* the buffer's number in the trace, when it is text */
	bool is_text;
	struct trace_dat_cpu *cpus;
	uint32_t n_cpus;
};

/* What is to be written. */
struct trace_dat_plan {
	struct fathom_trace *trace; /* all but the events is taken from it */
	const struct strbuf *symbols; /* of the kernel, instead of those there; NULL: those */
	struct trace_dat_buffer *buffers;
	size_t n_buffers;
	struct trace_dat_cpu *cpus; /* of all buffers */
	uint32_t page_size; /* of the top buffer */
	uint32_t machine_cpus;
	uint32_t options_description;
	uint64_t bytes; /* of events in the trace */
};

/* Everything in @trace, which must outlive the plan. 0 or -ENOMEM. */
int trace_dat_plan_init(struct trace_dat_plan *plan, struct fathom_trace *trace);
void trace_dat_plan_done(struct trace_dat_plan *plan);

/* Writes files of one kind; owns the threads that compress. */
struct trace_dat_writer;

/*
 * @options are copied; @size is how large the trace is, as a hint whether threads are worth it.
 * Whoever enters a sandbox makes the writer before that.
 */
int trace_dat_writer_new(const struct trace_dat_options *options, uint64_t size,
			 struct trace_dat_writer **ret_writer, struct fathom_err *err);
void trace_dat_writer_free(struct trace_dat_writer *writer);
/* Writes to @fd, an empty plain file that is open for reading and writing. */
int trace_dat_write(struct trace_dat_writer *writer, const struct trace_dat_plan *plan, int fd,
		    struct fathom_err *err);

/*
 * Writes the trace file @in anew as @out, which may be the same: what is there under that name is
 * replaced when all went well, and left alone otherwise. 1 when @in is damaged, else 0.
 */
int trace_dat_convert(const char *in, const char *out, const struct trace_dat_options *options,
		      struct fathom_err *err);
/* The same from the open file @in, which messages call @name, to the empty file @out. */
int trace_dat_convert_fd(int in, const char *name, const struct trace_dat_options *options, int out,
			 struct fathom_err *err);

#endif

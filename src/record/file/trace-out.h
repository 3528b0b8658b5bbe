/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace.dat of version 7 that is being recorded. The file is valid from its creation: it has all
 * metadata, and a table of CPUs that is updated from time to time. Each CPU writes its data to a
 * separate region of the file, large enough that none reaches the next, with holes in between. To
 * finish the file, the holes are removed (which changes only metadata if the file system can
 * collapse ranges), what became known in the meantime is appended, and finally the head is pointed
 * at the new options.
 *
 *	head  metadata  strings  options  buffer { CPU 0 ...hole... CPU 1 ...hole... }
 *	head  metadata  strings  options  buffer { CPU 0 CPU 1 }  metadata  options
 *
 * Each stream has one writer, which may be a thread; trace_out_checkpoint() may run at the same
 * time. Functions return 0 or a negative errno.
 */
#ifndef FATHOM_RECORD_FILE_TRACE_OUT_H
#define FATHOM_RECORD_FILE_TRACE_OUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

struct trace_out;

struct trace_out_section {
	uint16_t id; /* enum trace_id */
	const void *body;
	size_t size;
};

struct trace_out_option {
	uint16_t id;
	const void *data;
	uint32_t size;
};

struct trace_out_buffer {
	const char *name; /* "": the top-level one */
	const char *clock;
	uint32_t page_size;
	const uint32_t *cpus;
	size_t n_cpus;
};

struct trace_out_spec {
	uint32_t page_size;
	const struct trace_out_section *sections;
	size_t n_sections;
	const struct trace_out_option *options;
	size_t n_options;
	const struct trace_out_buffer *buffers;
	size_t n_buffers;
};

/* Where the pages of one CPU go. One thread writes; others may read @size. */
struct trace_out_stream {
	int fd;
	uint32_t cpu;
	uint32_t page_size;
	uint64_t start; /* offset in the file; while recording, changed by trace_out_drop() only */
	uint64_t limit; /* maximum of @size, in bytes */
	_Atomic uint64_t size;
	uint64_t keep; /* number of newest bytes to keep; 0: all */
	struct trace_out *out;
};

/*
 * Writes everything but data to @fd, an empty regular file open for reading and writing. @fd stays
 * the caller's and must outlive the struct; @spec is copied.
 */
int trace_out_new(int fd, const struct trace_out_spec *spec, struct trace_out **ret_out,
		  struct fathom_err *err);
void trace_out_free(struct trace_out *out);
static inline void trace_out_free_p(struct trace_out **out)
{
	trace_out_free(*out);
}
#define _cleanup_trace_out_ __attribute__((cleanup(trace_out_free_p)))

/* Returns the streams, in the order of the spec's buffers and their CPUs. They belong to @out. */
struct trace_out_stream *trace_out_streams(struct trace_out *out, size_t *ret_n);
/* Updates the table of CPUs. May be called by any thread. */
int trace_out_checkpoint(struct trace_out *out);

/*
 * Appends a page. To be called by the writer of the stream. Returns -EFBIG if its region is full.
 */
int trace_out_append(struct trace_out_stream *stream, const void *page);
/*
 * Drops the oldest @drop bytes, rounded down to pages, and frees their disk space. To be called by
 * the writer of the stream, or when there is none.
 */
int trace_out_drop(struct trace_out_stream *stream, uint64_t drop);
/* Drops the oldest data if there is more than @keep. To be called after each write. */
static inline int trace_out_trim(struct trace_out_stream *stream)
{
	uint64_t size = atomic_load_explicit(&stream->size, memory_order_relaxed);

	if (!stream->keep || size <= stream->keep)
		return 0;
	return trace_out_drop(stream, size - stream->keep / 4 * 3);
}

struct trace_out_result {
	uint64_t size; /* of the file */
	uint64_t data; /* bytes of pages in it */
	uint64_t copied; /* bytes that had to be copied, because ranges could not be collapsed */
	uint64_t holes; /* bytes of holes that could not be removed */
	int reason; /* why, a negative errno */
};

/*
 * Finishes the file, when no stream has a writer any more. @sections replace those with the same
 * ID; @options are added. On failure, the file is as valid as before. Sets *@ret_result even then.
 */
int trace_out_finish(struct trace_out *out, const struct trace_out_section *sections,
		     size_t n_sections, const struct trace_out_option *options, size_t n_options,
		     struct trace_out_result *ret_result, struct fathom_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace.dat of version 7 that is being recorded. From its creation on the file is
 * valid: it has all metadata, and a table of the CPUs that is brought up to date now and
 * then. The data of each CPU go to a region of the file of its own, so far apart that
 * none reaches the next; what lies between is a hole. To finish the file the holes are
 * taken out (which costs metadata alone where the file system can collapse a range), what
 * was learned meanwhile is written behind the data, and last of all the file's head is
 * pointed at the new options.
 *
 *	head  metadata  strings  options  buffer { CPU 0 ...hole... CPU 1 ...hole... }
 *	head  metadata  strings  options  buffer { CPU 0 CPU 1 }  metadata  options
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
	const char *name; /* "" is the main one */
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

/* Where one CPU's pages go. One thread writes; others may look at @size. */
struct trace_out_stream {
	int fd;
	uint32_t cpu;
	uint32_t page_size;
	uint64_t start; /* offset in the file; changed by trace_out_trim() alone while it records */
	uint64_t limit; /* more than this does not fit */
	_Atomic uint64_t size;
	uint64_t keep; /* the newest bytes that are kept, 0: all */
	struct trace_out *out;
};

/*
 * Writes all but the data to @fd, an empty regular file open for reading and writing,
 * which the caller keeps. @spec is needed no longer afterwards.
 */
int trace_out_new(int fd, const struct trace_out_spec *spec, struct trace_out **ret_out,
		  struct fathom_err *err);
void trace_out_free(struct trace_out *out);
static inline void trace_out_free_p(struct trace_out **out)
{
	trace_out_free(*out);
}
#define _cleanup_trace_out_ __attribute__((cleanup(trace_out_free_p)))

/* In the order of the spec's buffers and their CPUs. */
struct trace_out_stream *trace_out_streams(struct trace_out *out, size_t *ret_n);
/* Brings the table of CPUs up to date. 0 or a negative errno. */
int trace_out_checkpoint(struct trace_out *out);

/* Writes a page behind those that are there. 0 or a negative errno; -ENOSPC for one that is cut short. */
int trace_out_append(struct trace_out_stream *stream, const void *page);
/* Gives up the oldest @drop bytes, whole pages, and their place on the disk. 0 or a negative errno. */
int trace_out_drop(struct trace_out_stream *stream, uint64_t drop);
/* Gives up the oldest of more than @keep; to be called after each write. */
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
	uint64_t copied; /* bytes that had to be moved, as the file system can't collapse */
	uint64_t holes; /* bytes of holes that could not be taken out */
	int reason; /* why: a negative errno */
};

/*
 * Finishes the file; nobody may write to a stream any more. @sections take the place of
 * those with the same id, @options come on top. On failure the file is as valid as before.
 */
int trace_out_finish(struct trace_out *out, const struct trace_out_section *sections,
		     size_t n_sections, const struct trace_out_option *options, size_t n_options,
		     struct trace_out_result *ret_result, struct fathom_err *err);

#endif

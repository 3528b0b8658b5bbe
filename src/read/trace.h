/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An open trace: the file, its structure, and the streams in it, where a stream is
 * what one CPU wrote into one buffer. After opening nothing here changes but what
 * is guarded by @lock, and the sections that are loaded on demand.
 */
#ifndef FATHOM_READ_TRACE_H
#define FATHOM_READ_TRACE_H

#include <pthread.h>
#include <stdbool.h>

#include <fathom/trace.h>

#include "base/cleanup.h"
#include "format/file/trace-file.h"
#include "read/chunk-index.h"
#include "read/source.h"

/* Marks of all chunk indexes together: 16 bytes each. */
#define TRACE_CHUNK_MARKS ((size_t)1 << 20)

struct trace_stream {
	const struct trace_buffer *buffer;
	const struct trace_cpu *cpu;
	struct chunk_index *chunks; /* NULL: not compressed; under the trace's lock */
	struct block_ring
		*fed; /* pages that come while they are read, see live.h; NULL: in the file */
	uint16_t number; /* of the buffer */
};

/* Bytes of a section once they were asked for. */
struct section_bytes {
	const char *bytes; /* all of the section */
	char *owned; /* the same, unless they are in the mapping */
	size_t size;
	bool loaded;
};

/* Where in an event the fields are that every event has. */
struct common_fields {
	uint32_t type; /* offset of the u16 common_type */
	uint32_t pid; /* offset of the s32 common_pid */
	uint32_t end; /* events shorter than this do not have both */
};

struct fathom_trace {
	struct source source;
	struct trace_file file;
	struct fathom_trace_info info;
	uint32_t *buffer_order; /* the number that is shown -> place in file.buffers */
	struct trace_stream *streams; /* in the order in which events of one time come */
	size_t n_streams;
	struct chunk_index *chunks; /* of the compressed streams */
	size_t n_chunks;
	struct common_fields common;
	struct section_bytes sections[TRACE_SECTION_IDS];
	struct section_bytes *texts; /* of the buffers that are text */
	struct fathom_format_text *formats;
	size_t n_formats, cap_formats;
	bool formats_loaded;
	struct live *live; /* NULL: all is in the file */
	pthread_mutex_t lock;
};

DEFINE_CLEANUP(struct fathom_trace, fathom_trace_free);

/*
 * As fathom_trace_open_fd(), but @fd stays the caller's, and must outlive the trace: a file that grows
 * is read again and again through one.
 */
int trace_open_kept_fd(int fd, unsigned flags, struct fathom_trace **ret_trace,
		       struct fathom_err *err);

/* trace-sections.c: all of the section with this id of the file; -ENOENT when there is none. */
int trace_section_load(struct fathom_trace *trace, unsigned id, const char **ret_bytes,
		       size_t *ret_size, struct fathom_err *err);
/*
 * Takes raw times for counts of @factor nanoseconds each, whatever the file says, before offsets
 * are added. To be called before a cursor is made.
 */
void trace_scale_time(struct fathom_trace *trace, uint32_t factor);
/* Finds the common fields in the first event description; the usual ones when there is none. */
int trace_find_common(struct fathom_trace *trace);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An open trace: the file, its structure, and its streams, where a stream is the data of one CPU in
 * one buffer. Once it is open, only what @lock protects, the damage (which locks itself) and the
 * sections loaded on demand change. Threads may share a trace, except for functions that load
 * sections, which must not run concurrently with others; see fathom/trace.h.
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

/* All chunk indexes together; a mark has 16 bytes. */
#define TRACE_CHUNK_MARKS ((size_t)1 << 20)

struct trace_stream {
	const struct trace_buffer *buffer;
	const struct trace_cpu *cpu;
	struct chunk_index *chunks; /* NULL: not compressed; protected by the trace's lock */
	struct block_ring *fed; /* pages added while reading, see live.h; NULL: in the file */
	uint16_t number; /* of the buffer */
};

/* The contents of a section, loaded on demand. */
struct section_bytes {
	const char *bytes; /* the whole section */
	char *owned; /* the same, unless it is in the mapping */
	size_t size;
	bool loaded;
};

/* Location of the common fields in an event. */
struct common_fields {
	uint32_t type; /* offset of the u16 common_type */
	uint32_t pid; /* offset of the s32 common_pid */
	uint32_t end; /* shorter events don't have both */
};

/*
 * Observes how far cursors have read, and can end reading. Events remain consistent: no cursor delivers events of one
 * CPU that are later than those of another one that it withholds. Cursors created afterwards end at the same time, and
 * are not ended again.
 */
struct trace_watch {
	/*
	 * Called whenever a cursor that reads forward enters a page of @bytes; @time is that of the
	 * event delivered last. Returns whether to end reading. NULL: no observer.
	 */
	bool (*page)(void *data, uint64_t time, uint32_t bytes);
	void *data;
};

struct fathom_trace {
	struct source source;
	struct trace_file file;
	struct fathom_trace_info info;
	uint32_t *buffer_order; /* number of a buffer -> index in file.buffers */
	/* in the order in which events of the same time are delivered */
	struct trace_stream *streams;
	size_t n_streams;
	struct chunk_index *chunks; /* of the compressed streams */
	size_t n_chunks;
	struct common_fields common;
	struct section_bytes sections[TRACE_SECTION_IDS];
	struct section_bytes *texts; /* of the buffers that contain text */
	struct fathom_format_text *formats;
	size_t n_formats, cap_formats;
	bool formats_loaded;
	struct live *live; /* NULL: all pages are in the file */
	struct trace_watch watch; /* set by the only thread that reads */
	bool is_cut; /* reading was ended by @watch... */
	uint64_t cut; /* ...after the events up to this time */
	pthread_mutex_t lock;
};

DEFINE_CLEANUP(struct fathom_trace, fathom_trace_free);

/*
 * As fathom_trace_open_fd(), but @fd stays the caller's and must outlive the trace: for opening a
 * growing file repeatedly through one descriptor.
 */
int trace_open_kept_fd(int fd, unsigned flags, struct fathom_trace **ret_trace,
		       struct fathom_err *err);

/*
 * trace-sections.c: returns the whole section with this ID, owned by the trace. -ENOENT if there is
 * none. Not thread-safe.
 */
int trace_section_load(struct fathom_trace *trace, unsigned id, const char **ret_bytes,
		       size_t *ret_size, struct fathom_err *err);
/*
 * Interprets raw times as multiples of @factor nanoseconds, before offsets are added, regardless of
 * the file. Must be called before a cursor is created.
 */
void trace_scale_time(struct fathom_trace *trace, uint32_t factor);
/*
 * Finds the common fields in the first event format, or uses defaults if there is none. Returns 0
 * or -ENOMEM.
 */
int trace_find_common(struct fathom_trace *trace);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files that write a trace.dat tell each other. */
#ifndef FATHOM_RECORD_FILE_TRACE_OUT_PARTS_H
#define FATHOM_RECORD_FILE_TRACE_OUT_PARTS_H

#include <pthread.h>

#include "format/file/trace-file.h"
#include "record/file/trace-out.h"

/* Data start at a multiple of this, which is one of all sizes of pages and blocks in use. */
#define TRACE_OUT_ALIGN ((uint64_t)64 << 10)

struct out_buffer {
	char *name, *clock;
	uint32_t page_size;
	size_t first, n; /* its streams */
	uint64_t section; /* offset of its header */
	uint64_t rows; /* offset of its table of CPUs in the options that count */
};

struct trace_out {
	int fd;
	pthread_mutex_t lock; /* of the rows in the file */
	struct out_buffer *buffers;
	size_t n_buffers;
	struct trace_out_stream *streams;
	size_t n_streams;
	uint64_t head_options; /* where the head has the offset of the options */
	/*
	 * The options have two places in front of the data. To change more than a number
	 * they are written to the one that does not count, then the head is pointed at it.
	 */
	uint64_t slots[2];
	uint64_t slot_size; /* of each, its header included */
	unsigned slot; /* the one that counts */
	struct trace_state state;
	uint64_t data; /* offset of the first region */
	uint64_t data_section; /* of the last buffer section, which holds all data */
	uint64_t sections[TRACE_SECTION_IDS]; /* 0: there is none */
	struct trace_out_option *options; /* all but sections and buffers; own their data */
	size_t n_options;
};

/* One with a lock and a file; NULL without memory. */
struct trace_out *trace_out_alloc(int fd);

/* trace-frame.c: what of the file is not data. */
/* 0 or a negative errno; -ENOSPC for a write that is cut short. */
int trace_out_pwrite(int fd, const void *bytes, size_t size, uint64_t offset);
/* Writes the options anew, as @out is now. */
int trace_out_put_options(struct trace_out *out);
/* The rows of all buffers, with the lock held. */
int trace_out_put_rows(struct trace_out *out);
/* Chooses where the data go, and writes all that stands before them. */
int trace_out_put_front(struct trace_out *out, const struct trace_out_spec *spec);
/* Writes what stands behind the data, which end at @end; the file is finished. */
int trace_out_put_tail(struct trace_out *out, uint64_t end,
		       const struct trace_out_section *sections, size_t n_sections,
		       const struct trace_out_option *options, size_t n_options,
		       uint64_t *ret_size);

/*
 * trace-pack.c: takes the holes out. The options are right at any moment. Where the data
 * end is in *@ret_end. 0, or a negative errno when the file cannot be written to.
 */
int trace_out_pack(struct trace_out *out, uint64_t *ret_end, struct trace_out_result *result);

#endif

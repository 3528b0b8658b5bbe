/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a trace.dat that is being written, and the functions of the files that write it. */
#ifndef FATHOM_RECORD_FILE_TRACE_OUT_PARTS_H
#define FATHOM_RECORD_FILE_TRACE_OUT_PARTS_H

#include <pthread.h>

#include "format/file/trace-file.h"
#include "record/file/trace-out.h"

/* The alignment of data, a multiple of all page and block sizes in use. */
#define TRACE_OUT_ALIGN ((uint64_t)64 << 10)

struct out_buffer {
	char *name, *clock;
	uint32_t page_size;
	size_t first, n; /* its streams */
	uint64_t section; /* offset of its header */
	uint64_t rows; /* offset of its table of CPUs in the options that count */
}; /* offset of its table of CPUs in the current options */

struct trace_out {
	int fd;
	pthread_mutex_t lock; /* protects rows, start and limit of streams while recording */
	struct out_buffer *buffers;
	size_t n_buffers;
	struct trace_out_stream *streams;
	size_t n_streams;
	uint64_t head_options; /* offset of the options' offset in the head */
	/*
	 * Two slots for options, before the data. To change more than numbers, the unused slot is
	 * written, and then the head is pointed at it.
	 */
	uint64_t slots[2];
	uint64_t slot_size; /* size of each, including its header */
	unsigned slot; /* index of the current one */
	struct trace_state state;
	uint64_t data; /* offset of the first region */
	uint64_t data_section; /* of the last buffer section, which holds all data */
	uint64_t sections[TRACE_SECTION_IDS]; /* offsets; 0: no such section */
	struct trace_out_option *options; /* all but sections and buffers; data are owned */
	size_t n_options;
};

/* Allocates a struct with @fd and an initialized lock. Returns NULL if memory is exhausted. */
struct trace_out *trace_out_alloc(int fd);

/* trace-frame.c: everything except for data. */
/* Writes all of @bytes. Returns 0 or a negative errno. */
int trace_out_pwrite(int fd, const void *bytes, size_t size, uint64_t offset);
/* Writes the options again, from the current state. */
int trace_out_put_options(struct trace_out *out);
/* Writes the rows of all buffers. Requires the lock. */
int trace_out_put_rows(struct trace_out *out);
/* Chooses the location of the data, and writes everything before them. */
int trace_out_put_front(struct trace_out *out, const struct trace_out_spec *spec);
/* Writes everything after the data, which end at @end. This finishes the file. */
int trace_out_put_tail(struct trace_out *out, uint64_t end,
		       const struct trace_out_section *sections, size_t n_sections,
		       const struct trace_out_option *options, size_t n_options,
		       uint64_t *ret_size);

/*
 * trace-pack.c: removes the holes. The options are valid at any time. *@ret_end is the end of the
 * data. Returns 0, or a negative errno if the file cannot be written.
 */
int trace_out_pack(struct trace_out *out, uint64_t *ret_end, struct trace_out_result *result);

#endif

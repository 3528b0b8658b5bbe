/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files that write a trace.dat tell each other. */
#ifndef FATHOM_WRITE_TRACE_DAT_PARTS_H
#define FATHOM_WRITE_TRACE_DAT_PARTS_H

#include "format/file/trace-encode.h"
#include "read/trace.h"
#include "write/trace-dat-pool.h"
#include "write/trace-dat.h"

/* trace-cmd makes ten pages a chunk. */
#define DAT_CHUNK_PAGES 10

struct trace_dat_writer {
	struct trace_dat_options options;
	struct dat_pool *pool; /* NULL: nothing will be compressed */
};

/* A section of the trace that goes into the new file. */
struct dat_section {
	const struct trace_section *of;
	uint64_t at; /* of its head in the new file; 0 while it was not written */
	uint64_t pointer_at; /* where an option points at it; 0: none does */
};

/* Where the places of a buffer's data are to be noted. */
struct dat_places {
	uint64_t offset_at; /* of the offset of the section or table; 0: nowhere */
	uint64_t table_at; /* of the first CPU's offset and size */
	uint32_t stride; /* from one CPU to the next */
};

/* A file that is being written. */
struct dat_out {
	struct trace_dat_writer *writer;
	unsigned version;
	enum compression compression;
	struct dat_pool *pool; /* NULL: nothing is compressed */
	const struct trace_dat_plan *plan;
	const struct trace_file *file; /* of the plan's trace */
	struct damage *damage; /* likewise */
	int fd;
	struct trace_encoder e; /* what was not written yet; its base says where it goes */
	struct dat_section *sections; /* in the order of the trace */
	size_t n_sections, cap_sections;
	struct dat_places *places; /* of the buffers */
	bool has_clock; /* the option TRACECLOCK was written */
	uint64_t done; /* bytes of the events of CPUs that are finished */
	struct fathom_err *err;
};

/* trace-dat-out.c: all of these return 0 or a negative errno, with a message. */
int dat_flush(struct dat_out *out);
/* Behind all that was encoded. */
int dat_append(struct dat_out *out, const void *bytes, size_t size);
/* The same for bytes of another file. */
int dat_append_range(struct dat_out *out, int fd, uint64_t offset, uint64_t size);
/* Leaves @size bytes out; they read as zeros. */
int dat_skip(struct dat_out *out, uint64_t size);
/* Goes on at a multiple of the page size, so that pages can be mapped. */
int dat_align(struct dat_out *out, uint32_t page_size);
/* Changes bytes that were encoded before, wherever they are now. */
int dat_patch_u32(struct dat_out *out, uint64_t at, uint32_t v);
int dat_patch_u64(struct dat_out *out, uint64_t at, uint64_t v);
static inline uint64_t dat_pos(const struct dat_out *out)
{
	return trace_encode_pos(&out->e);
}

/* trace-dat-sections.c: finds out which sections the new file gets. */
int dat_find_sections(struct dat_out *out);
/* The one with this id, NULL when there is none. */
struct dat_section *dat_section(struct dat_out *out, unsigned id);
/* The one at this offset of the trace, NULL when there is none. */
struct dat_section *dat_section_at(struct dat_out *out, uint64_t offset);
/* Writes a body without head, whole, also where there is none in the trace. */
int dat_put_body(struct dat_out *out, unsigned id);
/* Writes the section with its head; one that cannot be read is left out. */
int dat_put_section(struct dat_out *out, struct dat_section *section);
/* All strings that descriptions are in, as one section. */
int dat_put_strings(struct dat_out *out);

/* trace-dat-options.c: all options of the trace but those that describe buffers. */
int dat_put_options(struct dat_out *out);

/* trace-dat-data.c: the events, or the text, of a buffer; and where they are. */
int dat_put_buffer(struct dat_out *out, const struct trace_dat_buffer *buffer,
		   const struct dat_places *places);
int dat_put_text(struct dat_out *out, const struct trace_dat_buffer *buffer);

/* trace-dat-v6.c, trace-dat-v7.c: the whole file. */
int dat_write_v6(struct dat_out *out);
int dat_write_v7(struct dat_out *out);

#endif

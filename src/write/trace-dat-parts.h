/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files that write a trace.dat. A struct dat_out exists during one trace_dat_write(),
 * on one thread; only the pool has threads of its own. Functions that return int return 0 or a
 * negative errno, with the message in @out->err.
 */
#ifndef FATHOM_WRITE_TRACE_DAT_PARTS_H
#define FATHOM_WRITE_TRACE_DAT_PARTS_H

#include "format/file/trace-encode.h"
#include "format/file/trace-file.h"
#include "write/trace-dat-pool.h"
#include "write/trace-dat.h"

/* As trace-cmd does. */
#define DAT_CHUNK_PAGES 10

struct trace_dat_writer {
	struct trace_dat_options options;
	struct dat_pool *pool; /* NULL: without compression */
};

/* A section of the trace to be copied to the new file. */
struct dat_section {
	const struct trace_section *of;
	uint64_t at; /* offset of its header in the new file; 0: not written yet */
	uint64_t pointer_at; /* where an option contains @at; 0: nowhere */
};

/* Where to store the offsets of a buffer's data. */
struct dat_places {
	uint64_t offset_at; /* of the section or table; 0: nowhere */
	uint64_t table_at; /* of the first CPU's offset and size */
	uint32_t stride; /* from one CPU to the next, in bytes */
};

/* A file being written. */
struct dat_out {
	struct trace_dat_writer *writer;
	unsigned version;
	enum compression compression;
	struct dat_pool *pool; /* NULL: without compression */
	const struct trace_dat_plan *plan;
	const struct trace_file *file; /* of the plan's trace */
	struct damage *damage; /* of the plan's trace */
	int fd;
	struct trace_encoder e; /* not written yet; @base is its file offset */
	struct dat_section *sections; /* in the order of the trace */
	size_t n_sections, cap_sections;
	struct dat_places *places; /* one per buffer */
	bool has_clock; /* the option TRACECLOCK was written */
	uint64_t done; /* bytes of the events of CPUs that are complete */
	struct fathom_err *err;
};

/* trace-dat-out.c: writes the data encoded so far. */
int dat_flush(struct dat_out *out);
/* Writes bytes after everything that was encoded. */
int dat_append(struct dat_out *out, const void *bytes, size_t size);
/* The same for bytes of another file. */
int dat_append_range(struct dat_out *out, int fd, uint64_t offset, uint64_t size);
/* Reads them into memory. */
int dat_read_range(struct dat_out *out, int fd, uint64_t offset, void *buf, size_t size);
/* Leaves a hole of @size bytes. */
int dat_skip(struct dat_out *out, uint64_t size);
/* Continues at a multiple of the page size, so that pages can be mapped. */
int dat_align(struct dat_out *out, uint32_t page_size);
/* Overwrites a number that was encoded before, whether it has been written or not. */
int dat_patch_u32(struct dat_out *out, uint64_t at, uint32_t v);
int dat_patch_u64(struct dat_out *out, uint64_t at, uint64_t v);
static inline uint64_t dat_pos(const struct dat_out *out)
{
	return trace_encode_pos(&out->e);
}

/* trace-dat-sections.c: determines the sections of the new file. */
int dat_find_sections(struct dat_out *out);
/* Returns the section with this ID, or NULL. */
struct dat_section *dat_section(struct dat_out *out, unsigned id);
/* Returns the section at this offset of the trace, or NULL. */
struct dat_section *dat_section_at(struct dat_out *out, uint64_t offset);
/* Writes a body without header, repaired if necessary; an empty one if the trace has none. */
int dat_put_body(struct dat_out *out, unsigned id);
/* Writes the section with its header. An unreadable section is skipped, with a note. */
int dat_put_section(struct dat_out *out, struct dat_section *section);
/* Writes all strings used by descriptions as one section. */
int dat_put_strings(struct dat_out *out);

/* trace-dat-options.c: writes all options of the trace except those that describe buffers. */
int dat_put_options(struct dat_out *out);

/* trace-dat-data.c: writes the events or the text of a buffer, and stores where they are. */
int dat_put_buffer(struct dat_out *out, const struct trace_dat_buffer *buffer,
		   const struct dat_places *places);
int dat_put_text(struct dat_out *out, const struct trace_dat_buffer *buffer);

/* trace-dat-v6.c, trace-dat-v7.c: write the whole file. */
int dat_write_v6(struct dat_out *out);
int dat_write_v7(struct dat_out *out);

#endif

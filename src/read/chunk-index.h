/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the compressed chunks of one CPU are. The file has no table: each chunk
 * says how long it is, so the chunks are walked, no further than somebody asked
 * for. Every so many chunks a mark is kept; when there are too many marks, every
 * second one goes. So the memory is bounded, and a lookup walks few chunks.
 * Calls for one index must not overlap; the trace holds a lock for that.
 */
#ifndef FATHOM_READ_CHUNK_INDEX_H
#define FATHOM_READ_CHUNK_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/page/damage.h"
#include "read/source.h"

struct chunk {
	uint64_t file; /* offset of the compressed bytes */
	uint64_t raw; /* where the chunk starts in the uncompressed data */
	uint32_t number;
	uint32_t packed; /* bytes in the file */
	uint32_t size; /* bytes once decompressed; 0 and not readable when too large */
};

struct chunk_mark {
	uint64_t file; /* offset of the chunk's head */
	uint64_t raw;
};

struct chunk_index {
	uint64_t offset; /* of the CPU's data in the file */
	uint64_t end; /* of the file */
	uint32_t total; /* chunks, as the data begin with */
	uint32_t next; /* number of the first chunk that was not walked */
	struct chunk_mark frontier; /* where that one is */
	struct chunk_mark *marks; /* of the chunks 0, stride, 2 * stride, ... */
	size_t n_marks, cap_marks, max_marks;
	uint32_t stride;
	bool started;
	bool complete;
	bool big;
};

/* The size that a file gives for compressed data is not used: trace-cmd 3.1 writes it too small. */
void chunk_index_init(struct chunk_index *index, uint64_t offset, uint64_t end, bool big,
		      size_t max_marks);
void chunk_index_done(struct chunk_index *index);
/*
 * The chunk that has the uncompressed byte @raw: 1. 0 when there is none. *@chunk is tried first,
 * and then the one behind it; zero-initialise it for the first call. -ENOMEM.
 */
int chunk_index_find(struct chunk_index *index, struct source *source, struct damage *damage,
		     uint64_t raw, struct chunk *chunk);
/* How many uncompressed bytes there are; walks all chunks. 0 or -ENOMEM. */
int chunk_index_size(struct chunk_index *index, struct source *source, struct damage *damage,
		     uint64_t *ret_size);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locates the compressed chunks of one CPU. The file has no table; each chunk is preceded by its
 * length, so chunks are walked, only as far as needed. The position of every nth chunk is kept as a
 * mark; if there are too many marks, every second one is dropped. This limits the memory, and a
 * lookup walks few chunks.
 *
 * Calls for the same index must be serialized: callers hold the lock of the trace. A truncated or
 * damaged file is noted as damage and ends the walk; it is not an error.
 */
#ifndef FATHOM_READ_CHUNK_INDEX_H
#define FATHOM_READ_CHUNK_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/page/damage.h"
#include "read/source.h"

struct chunk {
	uint64_t file; /* file offset of the compressed bytes */
	uint64_t raw; /* offset of the chunk in the uncompressed data */
	uint32_t number;
	uint32_t packed; /* bytes in the file */
	uint32_t size; /* decompressed bytes */
};

struct chunk_mark {
	uint64_t file; /* file offset of the chunk's header */
	uint64_t raw;
};

struct chunk_index {
	uint64_t offset; /* of the CPU's data in the file */
	uint64_t end; /* of the file */
	uint32_t total; /* number of chunks according to the file */
	uint32_t next; /* number of the first chunk that was not walked yet */
	struct chunk_mark frontier; /* its position */
	struct chunk_mark *marks; /* positions of the chunks 0, stride, 2 * stride, ... */
	size_t n_marks, cap_marks, max_marks;
	uint32_t stride;
	bool started;
	bool complete;
	bool big;
};

/*
 * @end is that of the file: the size in the table of CPUs is ignored, because trace-cmd 3.1 writes
 * a size that is too small for compressed data.
 */
void chunk_index_init(struct chunk_index *index, uint64_t offset, uint64_t end, bool big,
		      size_t max_marks);
void chunk_index_done(struct chunk_index *index);
/*
 * Finds the chunk that contains the uncompressed byte @raw. Tries *@chunk and its successor first;
 * zero-initialize it for the first call. Returns 1, 0 if there is none, or -ENOMEM.
 */
int chunk_index_find(struct chunk_index *index, struct source *source, struct damage *damage,
		     uint64_t raw, struct chunk *chunk);
/*
 * Returns the number of uncompressed bytes in *@ret_size; walks all chunks. Returns 0 or -ENOMEM.
 */
int chunk_index_size(struct chunk_index *index, struct source *source, struct damage *damage,
		     uint64_t *ret_size);

#endif

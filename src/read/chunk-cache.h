/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pages that are not in the mapping: decompressed, or read from a file that could
 * not be mapped. Each stream has at most one run of pages here. All runs together
 * take at most CHUNK_CACHE_MAX bytes; the one that was not used for the longest
 * time makes room, and its stream finds its page pointer NULL and asks again. Two
 * scratch areas of at most INFLATE_CHUNK_MAX (and a little) each come on top.
 */
#ifndef FATHOM_READ_CHUNK_CACHE_H
#define FATHOM_READ_CHUNK_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "format/compress/inflate.h"
#include "read/chunk-index.h"

#define CHUNK_CACHE_MAX ((size_t)32 << 20)

struct trace_stream;
struct fathom_trace;

/* A run of pages, and whose it is. */
struct chunk_run {
	struct chunk_run *newer, *older;
	const uint8_t **page; /* the owner's pointer into the run, cleared when the run goes */
	struct chunk_run **slot; /* the owner's pointer to the run, likewise */
	uint64_t raw; /* of the first byte, in the CPU's uncompressed data */
	size_t size; /* that the run stands for */
	size_t kept; /* bytes in @data: @size, or 0 when they could not be read */
	uint8_t data[];
};

struct chunk_cache {
	struct fathom_trace *trace;
	struct chunk_run *newest, *oldest;
	size_t used;
	size_t run_max; /* longest run that keeps all streams in the cache at once */
	struct inflater inflater;
	uint8_t *chunk; /* scratch for a chunk that is longer than a run */
	size_t chunk_cap;
	uint8_t *packed; /* scratch for compressed bytes that are not mapped */
	size_t packed_cap;
};

void chunk_cache_init(struct chunk_cache *cache, struct fathom_trace *trace, size_t n_streams);
void chunk_cache_done(struct chunk_cache *cache);

/*
 * Makes *@slot a run that has the byte @raw of @stream, and notes who owns it. *@chunk is the
 * owner's memory of the last chunk. 1, 0 when there is no such byte, -ENOMEM.
 */
int chunk_cache_get(struct chunk_cache *cache, const struct trace_stream *stream, uint64_t raw,
		    struct chunk *chunk, struct chunk_run **slot, const uint8_t **page);
/* Gives the run of an owner back. */
void chunk_cache_drop(struct chunk_cache *cache, struct chunk_run *run);

#endif

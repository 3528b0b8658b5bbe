/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Caches pages that are not in the mapping: decompressed, or read from a file that could not be
 * mapped. Each owner (a stream or a page feed) has at most one run of pages. All runs together take
 * at most CHUNK_CACHE_MAX bytes; the least recently used one is evicted, which resets its owner's
 * pointers to NULL, and the owner asks again. Two scratch buffers of at most INFLATE_CHUNK_MAX (and
 * a little) each come on top.
 *
 * Not thread-safe. Unreadable data is noted in the trace's damage and is not an error.
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

/* A run of pages, with pointers to its owner. */
struct chunk_run {
	struct chunk_run *newer, *older;
	const uint8_t **page; /* the owner's pointer into the run, reset on eviction */
	struct chunk_run **slot; /* the owner's pointer to the run, likewise */
	uint64_t raw; /* offset of the first byte in the CPU's uncompressed data */
	size_t size; /* bytes of that data that the run covers */
	size_t kept; /* bytes in @data: @size, or 0 if they could not be read */
	uint8_t data[];
};

struct chunk_cache {
	struct fathom_trace *trace;
	struct chunk_run *newest, *oldest;
	size_t used;
	size_t run_max; /* longest run with which all streams fit in the cache */
	struct inflater inflater;
	uint8_t *chunk; /* scratch buffer for a chunk that is longer than a run */
	size_t chunk_cap;
	uint8_t *packed; /* scratch buffer for compressed bytes that are not mapped */
	size_t packed_cap;
};

void chunk_cache_init(struct chunk_cache *cache, struct fathom_trace *trace, size_t n_streams);
void chunk_cache_done(struct chunk_cache *cache);

/*
 * Makes *@slot a run that contains the byte @raw of @stream, replacing the run that it had, and
 * remembers the owner's @slot and @page, which must stay valid until the run is dropped. *@chunk
 * caches the last chunk; initially zero. Returns 1, 0 if there is no such byte, or -ENOMEM.
 */
int chunk_cache_get(struct chunk_cache *cache, const struct trace_stream *stream, uint64_t raw,
		    struct chunk *chunk, struct chunk_run **slot, const uint8_t **page);
/* Frees the run, which may be NULL, and resets its owner's pointers. */
void chunk_cache_drop(struct chunk_cache *cache, struct chunk_run *run);

#endif

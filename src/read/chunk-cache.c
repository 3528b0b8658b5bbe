/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/chunk-cache.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "read/trace.h"

/* Bytes read at a time from a file that is not mapped. */
#define READ_RUN ((size_t)256 << 10)

void chunk_cache_init(struct chunk_cache *cache, struct fathom_trace *trace, size_t n_streams)
{
	memset(cache, 0, sizeof(*cache));
	cache->trace = trace;
	cache->run_max = CHUNK_CACHE_MAX / (n_streams + 1);
}

static void unlink_run(struct chunk_cache *cache, struct chunk_run *run)
{
	if (run->newer)
		run->newer->older = run->older;
	else
		cache->newest = run->older;
	if (run->older)
		run->older->newer = run->newer;
	else
		cache->oldest = run->newer;
}

static void link_newest(struct chunk_cache *cache, struct chunk_run *run)
{
	run->newer = NULL;
	run->older = cache->newest;
	if (run->older)
		run->older->newer = run;
	else
		cache->oldest = run;
	cache->newest = run;
}

static void chunk_cache_release(struct chunk_cache *cache, struct chunk_run *run)
{
	*run->page = NULL;
	*run->slot = NULL;
	cache->used -= sizeof(*run) + run->kept;
	free(run);
}

void chunk_cache_drop(struct chunk_cache *cache, struct chunk_run *run)
{
	if (!run)
		return;
	unlink_run(cache, run);
	chunk_cache_release(cache, run);
}

static void drop_oldest(struct chunk_cache *cache)
{
	struct chunk_run *run = cache->oldest, *next = run->newer;

	cache->oldest = next;
	if (next)
		next->older = NULL;
	else
		cache->newest = NULL;
	chunk_cache_release(cache, run);
}

void chunk_cache_done(struct chunk_cache *cache)
{
	while (cache->oldest)
		drop_oldest(cache);
	inflater_done(&cache->inflater);
	free(cache->chunk);
	free(cache->packed);
	cache->chunk = cache->packed = NULL;
}

static int chunk_cache_scratch(uint8_t **area, size_t *cap, size_t size)
{
	uint8_t *p;

	if (size <= *cap)
		return 0;
	p = mem_alloc(size);
	if (!p)
		return -ENOMEM;
	free(*area);
	*area = p;
	*cap = size;
	return 0;
}

static struct chunk_run *new_run(struct chunk_cache *cache, uint64_t raw, size_t size, size_t kept)
{
	struct chunk_run *run;

	while (cache->oldest && cache->used + sizeof(*run) + kept > CHUNK_CACHE_MAX)
		drop_oldest(cache);
	run = mem_alloc(sizeof(*run) + kept);
	if (!run)
		return NULL;
	run->raw = raw;
	run->size = size;
	run->kept = kept;
	cache->used += sizeof(*run) + kept;
	link_newest(cache, run);
	return run;
}

/* Returns the chunk's compressed bytes, in the mapping or read into the scratch buffer. */
static int packed_bytes(struct chunk_cache *cache, const struct chunk *chunk,
			const uint8_t **ret_bytes)
{
	struct source *source = &cache->trace->source;

	if (source->map) {
		for (uint64_t n = 0; n < chunk->packed; n += SOURCE_TOUCH_SIZE)
			source_touch(source, chunk->file + n, false);
		*ret_bytes = source->map + chunk->file;
		return 0;
	}
	/* Data that decompresses to at most INFLATE_CHUNK_MAX is not longer than this. */
	if (chunk->packed > INFLATE_CHUNK_MAX + (INFLATE_CHUNK_MAX >> 4))
		return -EBADMSG;
	if (chunk_cache_scratch(&cache->packed, &cache->packed_cap, chunk->packed) < 0)
		return -ENOMEM;
	*ret_bytes = cache->packed;
	return source_read(source, chunk->file, cache->packed, chunk->packed) ==
			       (long)chunk->packed ?
		       0 :
		       -EIO;
}

/* Runs start at multiples of their length within a chunk, so that they don't split pages. */
static void run_bounds(uint64_t start, uint64_t end, uint64_t raw, size_t run_max, size_t page,
		       uint64_t *ret_raw, size_t *ret_size)
{
	uint64_t step = run_max < page ? page : run_max - run_max % page;

	*ret_raw = start;
	if (end - start > step)
		*ret_raw = start + (raw - start) / step * step;
	*ret_size = (size_t)(end - *ret_raw < step ? end - *ret_raw : step);
}

static int inflate_chunk(struct chunk_cache *cache, const struct chunk *chunk, void *out)
{
	const uint8_t *bytes;
	int r = packed_bytes(cache, chunk, &bytes);

	if (r == 0)
		r = inflater_run(&cache->inflater, cache->trace->file.compression, bytes,
				 chunk->packed, out, chunk->size);
	return r;
}

static int load_chunk(struct chunk_cache *cache, const struct trace_stream *stream,
		      const struct chunk *chunk, uint64_t raw, struct chunk_run **ret_run)
{
	struct chunk_run *run;
	uint64_t from;
	size_t size;
	int r;

	run_bounds(chunk->raw, chunk->raw + chunk->size, raw, cache->run_max,
		   stream->buffer->layout.size, &from, &size);
	run = new_run(cache, from, size, size);
	if (!run)
		return -ENOMEM;
	if (size == chunk->size) {
		r = inflate_chunk(cache, chunk, run->data);
	} else {
		r = chunk_cache_scratch(&cache->chunk, &cache->chunk_cap, chunk->size);
		if (r == 0)
			r = inflate_chunk(cache, chunk, cache->chunk);
		if (r == 0)
			memcpy(run->data, cache->chunk + (from - chunk->raw), size);
	}
	if (r < 0) {
		cache->used -= sizeof(*run) + run->kept;
		unlink_run(cache, run);
		free(run);
		if (r == -ENOMEM)
			return r;
		damage_add(&cache->trace->file.damage, chunk->file,
			   "cannot decompress a chunk of CPU %u; its events are missing",
			   stream->cpu->cpu);
		/* A run without bytes, to avoid decompressing the chunk again for each page. */
		run = new_run(cache, chunk->raw, chunk->size, 0);
		if (!run)
			return -ENOMEM;
	}
	*ret_run = run;
	return 1;
}

static int load_plain(struct chunk_cache *cache, const struct trace_stream *stream, uint64_t raw,
		      struct chunk_run **ret_run)
{
	size_t run_max = cache->run_max < READ_RUN ? cache->run_max : READ_RUN;
	struct chunk_run *run;
	uint64_t from;
	size_t size;
	long got;

	if (raw >= stream->cpu->size)
		return 0;
	run_bounds(0, stream->cpu->size, raw, run_max, stream->buffer->layout.size, &from, &size);
	run = new_run(cache, from, size, size);
	if (!run)
		return -ENOMEM;
	got = source_read(&cache->trace->source, stream->cpu->offset + from, run->data, size);
	if (got < (long)size) {
		damage_add(&cache->trace->file.damage, stream->cpu->offset + from,
			   "cannot read data of CPU %u", stream->cpu->cpu);
		memset(run->data + (got > 0 ? got : 0), 0, size - (size_t)(got > 0 ? got : 0));
	}
	*ret_run = run;
	return 1;
}

int chunk_cache_get(struct chunk_cache *cache, const struct trace_stream *stream, uint64_t raw,
		    struct chunk *chunk, struct chunk_run **slot, const uint8_t **page)
{
	struct chunk_run *run = *slot;
	int r;

	if (run && raw >= run->raw && raw - run->raw < run->size) {
		unlink_run(cache, run);
		link_newest(cache, run);
		return 1;
	}
	chunk_cache_drop(cache, run);
	if (stream->buffer->compressed) {
		pthread_mutex_lock(&cache->trace->lock);
		r = chunk_index_find(&stream->chunks[0], &cache->trace->source,
				     &cache->trace->file.damage, raw, chunk);
		pthread_mutex_unlock(&cache->trace->lock);
		if (r == 1)
			r = load_chunk(cache, stream, chunk, raw, &run);
	} else {
		r = load_plain(cache, stream, raw, &run);
	}
	if (r != 1)
		return r;
	run->slot = slot;
	run->page = page;
	*slot = run;
	return 1;
}

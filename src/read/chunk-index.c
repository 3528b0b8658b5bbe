/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read/chunk-index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "format/bytes.h"
#include "format/compress/inflate.h"

#define HEAD_SIZE 8

void chunk_index_init(struct chunk_index *index, uint64_t offset, uint64_t end, bool big,
		      size_t max_marks)
{
	memset(index, 0, sizeof(*index));
	index->offset = offset;
	index->end = end > offset ? end : offset;
	index->big = big;
	index->stride = 1;
	index->max_marks = max_marks < 2 ? 2 : max_marks;
}

void chunk_index_done(struct chunk_index *index)
{
	free(index->marks);
	index->marks = NULL;
}

static void chunk_index_start(struct chunk_index *index, struct source *source,
			      struct damage *damage)
{
	uint8_t word[4];

	index->started = true;
	if (index->end - index->offset < 4 || source_read(source, index->offset, word, 4) != 4) {
		damage_add(damage, index->offset, "compressed data truncated");
		index->complete = true;
		return;
	}
	index->total = load_u32(word, index->big);
	index->frontier.file = index->offset + 4;
}

/* Reads the header of the chunk at @mark. Returns false if the chunk is truncated. */
static bool read_head(const struct chunk_index *index, struct source *source,
		      const struct chunk_mark *mark, uint32_t number, struct chunk *ret_chunk)
{
	uint8_t head[HEAD_SIZE];
	struct chunk chunk = { .number = number, .raw = mark->raw };

	if (index->end - mark->file < HEAD_SIZE ||
	    source_read(source, mark->file, head, HEAD_SIZE) != HEAD_SIZE)
		return false;
	chunk.file = mark->file + HEAD_SIZE;
	chunk.packed = load_u32(head, index->big);
	chunk.size = load_u32(head + 4, index->big);
	if (chunk.packed > index->end - chunk.file)
		return false;
	*ret_chunk = chunk;
	return true;
}

static struct chunk_mark chunk_index_behind(const struct chunk *chunk)
{
	return (struct chunk_mark){ .file = chunk->file + chunk->packed,
				    .raw = chunk->raw + chunk->size };
}

static int add_mark(struct chunk_index *index)
{
	if (index->next % index->stride)
		return 0;
	if (index->n_marks >= index->max_marks) {
		for (size_t i = 0; i < index->n_marks; i += 2)
			index->marks[i / 2] = index->marks[i];
		index->n_marks = (index->n_marks + 1) / 2;
		index->stride *= 2;
		if (index->next % index->stride)
			return 0;
	}
	if (mem_reserve(&index->marks, &index->cap_marks, index->n_marks + 1,
			sizeof(*index->marks)) < 0)
		return -ENOMEM;
	index->marks[index->n_marks++] = index->frontier;
	return 0;
}

/* Walks one more chunk. Returns 1, 0 if there are no more, or -ENOMEM. */
static int chunk_index_walk(struct chunk_index *index, struct source *source, struct damage *damage)
{
	struct chunk chunk;
	int r;

	if (index->complete)
		return 0;
	if (index->next >= index->total) {
		index->complete = true;
		return 0;
	}
	if (!read_head(index, source, &index->frontier, index->next, &chunk)) {
		damage_add(damage, index->frontier.file,
			   "compressed data truncated: %u of %u chunks present", index->next,
			   index->total);
		index->complete = true;
		return 0;
	}
	if (chunk.size > INFLATE_CHUNK_MAX) {
		/* Neither its size in the uncompressed data nor what follows can be trusted. */
		damage_add(damage, chunk.file, "invalid size of a compressed chunk: %u bytes",
			   chunk.size);
		index->complete = true;
		return 0;
	}
	r = add_mark(index);
	if (r < 0)
		return r;
	index->frontier = chunk_index_behind(&chunk);
	index->next++;
	return 1;
}

static bool chunk_index_holds(const struct chunk *chunk, uint64_t raw)
{
	return chunk->size && raw >= chunk->raw && raw - chunk->raw < chunk->size;
}

/* Walks from the last mark at or before @raw; the chunk is among those already walked. */
static int find_walked(struct chunk_index *index, struct source *source, uint64_t raw,
		       struct chunk *ret_chunk)
{
	size_t low = 0, high = index->n_marks;
	struct chunk chunk;
	uint32_t number;
	struct chunk_mark at;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (index->marks[mid].raw <= raw)
			low = mid;
		else
			high = mid;
	}
	at = index->marks[low];
	for (number = (uint32_t)low * index->stride; number < index->next; number++) {
		if (!read_head(index, source, &at, number, &chunk))
			return 0;
		if (chunk_index_holds(&chunk, raw)) {
			*ret_chunk = chunk;
			return 1;
		}
		at = chunk_index_behind(&chunk);
	}
	return 0;
}

int chunk_index_find(struct chunk_index *index, struct source *source, struct damage *damage,
		     uint64_t raw, struct chunk *chunk)
{
	int r = 1;

	if (chunk_index_holds(chunk, raw))
		return 1;
	if (!index->started)
		chunk_index_start(index, source, damage);
	while (r == 1 && index->frontier.raw <= raw)
		r = chunk_index_walk(index, source, damage);
	if (r < 0)
		return r;
	if (index->frontier.raw <= raw || !index->n_marks)
		return 0;
	if (chunk->size && raw == chunk->raw + chunk->size && chunk->number + 1 < index->next) {
		struct chunk_mark at = chunk_index_behind(chunk);
		struct chunk next;

		if (read_head(index, source, &at, chunk->number + 1, &next) &&
		    chunk_index_holds(&next, raw)) {
			*chunk = next;
			return 1;
		}
	}
	return find_walked(index, source, raw, chunk);
}

int chunk_index_size(struct chunk_index *index, struct source *source, struct damage *damage,
		     uint64_t *ret_size)
{
	int r;

	if (!index->started)
		chunk_index_start(index, source, damage);
	do {
		r = chunk_index_walk(index, source, damage);
	} while (r == 1);
	if (r < 0)
		return r;
	*ret_size = index->frontier.raw;
	return 0;
}

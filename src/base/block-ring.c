/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/block-ring.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

int block_ring_init(struct block_ring *ring, size_t size, size_t cap)
{
	size_t bytes;

	*ring = (struct block_ring){ .size = size, .cap = cap };
	if (__builtin_mul_overflow(size, cap, &bytes))
		return -ENOMEM;
	/* Not cleared: pages that are never used are never touched. */
	ring->blocks = mem_alloc(bytes);
	return ring->blocks ? 0 : -ENOMEM;
}

void block_ring_done(struct block_ring *ring)
{
	free(ring->blocks);
	*ring = (struct block_ring){ 0 };
}

static uint8_t *block_ring_at(const struct block_ring *ring, uint64_t number)
{
	return ring->blocks + number % ring->cap * ring->size;
}

uint8_t *block_ring_room(const struct block_ring *ring)
{
	return ring->end - ring->first < ring->cap ? block_ring_at(ring, ring->end) : NULL;
}

void block_ring_add(struct block_ring *ring)
{
	ring->end++;
}

const uint8_t *block_ring_get(const struct block_ring *ring, uint64_t number)
{
	return number >= ring->first && number < ring->end ? block_ring_at(ring, number) : NULL;
}

void block_ring_drop(struct block_ring *ring, uint64_t number)
{
	if (number > ring->end)
		number = ring->end;
	if (number > ring->first)
		ring->first = number;
}

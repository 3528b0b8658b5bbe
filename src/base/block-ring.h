/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A bounded FIFO of fixed-size blocks, numbered consecutively from 0. Memory is allocated once;
 * blocks do not move until they are dropped, so pointers to them stay valid. Not thread-safe.
 */
#ifndef FATHOM_BASE_BLOCK_RING_H
#define FATHOM_BASE_BLOCK_RING_H

#include <stddef.h>
#include <stdint.h>

struct block_ring {
	uint8_t *blocks;
	size_t size; /* size of a block */
	size_t cap; /* capacity in blocks */
	uint64_t first; /* number of the oldest block */
	uint64_t end; /* number of the next block to be added */
};

/* Allocates room for @cap blocks of @size bytes. Returns 0 or -ENOMEM. */
int block_ring_init(struct block_ring *ring, size_t size, size_t cap);
void block_ring_done(struct block_ring *ring);
/*
 * Returns the memory of the next block, to be filled before block_ring_add(), or NULL if the ring
 * is full.
 */
uint8_t *block_ring_room(const struct block_ring *ring);
void block_ring_add(struct block_ring *ring);
/* Returns the block @number, or NULL if it was dropped or does not exist yet. */
const uint8_t *block_ring_get(const struct block_ring *ring, uint64_t number);
/* Drops the blocks before @number. */
void block_ring_drop(struct block_ring *ring, uint64_t number);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A queue of blocks of one size, numbered from 0 on. There is room for so many of them
 * at a time, taken once; a block stays where it is until it is dropped.
 */
#ifndef FATHOM_BASE_BLOCK_RING_H
#define FATHOM_BASE_BLOCK_RING_H

#include <stddef.h>
#include <stdint.h>

struct block_ring {
	uint8_t *blocks;
	size_t size; /* of a block */
	size_t cap; /* blocks */
	uint64_t first; /* number of the oldest block that is there */
	uint64_t end; /* number of the next one to be added */
};

/* 0 or -ENOMEM. */
int block_ring_init(struct block_ring *ring, size_t size, size_t cap);
void block_ring_done(struct block_ring *ring);
/* Where the next block goes, to be filled and added; NULL when the ring is full. */
uint8_t *block_ring_room(const struct block_ring *ring);
void block_ring_add(struct block_ring *ring);
/* NULL when it was dropped, or is not there yet. */
const uint8_t *block_ring_get(const struct block_ring *ring, uint64_t number);
/* Drops the blocks before @number. */
void block_ring_drop(struct block_ring *ring, uint64_t number);

#endif

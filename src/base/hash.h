/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Seeded hash functions for tables with untrusted keys. The seed differs in each process, so that a
 * crafted file cannot force collisions.
 */
#ifndef FATHOM_BASE_HASH_H
#define FATHOM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the seed of this process, which is never 0. Thread-safe. */
uint32_t hash_seed(void);

/* Each bit of the key and of the seed affects half of the bits of the hash. */
static inline uint32_t hash_u32(uint32_t key, uint32_t seed)
{
	key ^= seed;
	key = (key ^ key >> 16) * 0x85ebca6bU;
	key = (key ^ key >> 13) * 0xc2b2ae35U;
	return key ^ key >> 16;
}

/* For strings. Processes that use the same @seed get the same hash. */
static inline uint64_t hash_bytes(const void *bytes, size_t len, uint32_t seed)
{
	const unsigned char *p = bytes;
	uint64_t hash = 0xcbf29ce484222325U ^ (uint64_t)seed << 32;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * 0x100000001b3U;
	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93U;
	return hash ^ hash >> 32;
}

#endif

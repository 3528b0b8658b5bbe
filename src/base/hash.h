/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hashes for tables whose keys come from a file. Who writes the file must not be able to
 * choose keys that all fall into one place: the seed differs in each process.
 */
#ifndef FATHOM_BASE_HASH_H
#define FATHOM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The same in all of the process; never 0. */
uint32_t hash_seed(void);

/* Every bit of the key and the seed changes half of the result's. */
static inline uint32_t hash_u32(uint32_t key, uint32_t seed)
{
	key ^= seed;
	key = (key ^ key >> 16) * 0x85ebca6bU;
	key = (key ^ key >> 13) * 0xc2b2ae35U;
	return key ^ key >> 16;
}

/* For text; also between processes with the same @seed. */
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

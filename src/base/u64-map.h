/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash table that numbers 64-bit keys consecutively from 0, in order of insertion. A
 * zero-initialized map is empty. Keys cannot be removed. Keys are untrusted: the hash is seeded.
 */
#ifndef FATHOM_BASE_U64_MAP_H
#define FATHOM_BASE_U64_MAP_H

#include <stddef.h>
#include <stdint.h>

#define U64_MAP_NONE UINT32_MAX

struct u64_map {
	struct u64_map_slot {
		uint64_t key;
		uint32_t value; /* + 1; 0: free */
	} * slots; /* 1 << bits */
	unsigned bits;
	uint32_t n;
};

/* Returns the number of @key, or U64_MAP_NONE. */
uint32_t u64_map_get(const struct u64_map *map, uint64_t key);
/* The same, but inserts @key if it is missing. Returns U64_MAP_NONE only if memory is exhausted. */
uint32_t u64_map_put(struct u64_map *map, uint64_t key);
/*
 * Returns the element of @key in the array *@array (a pointer to a pointer), which has an element
 * of @size bytes for each key, *@n of them, and room for *@cap. Inserts @key and a zeroed element
 * if it is missing. Returns NULL, with nothing changed, if memory is exhausted.
 */
void *u64_map_element(struct u64_map *map, uint64_t key, void *array, size_t *n, size_t *cap,
		      size_t size);
void u64_map_done(struct u64_map *map);

#endif

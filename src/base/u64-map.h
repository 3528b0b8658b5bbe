/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers for numbers: a hash table from 64-bit keys to 32-bit values that were given in the
 * order 0, 1, 2 ... Zero-initialised is empty. Keys are never removed.
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

/* The value of @key; U64_MAP_NONE when it has none. */
uint32_t u64_map_get(const struct u64_map *map, uint64_t key);
/* The same, but a key without a value gets the next one, n before this call. NONE: no memory. */
uint32_t u64_map_put(struct u64_map *map, uint64_t key);
/*
 * For an array *@array (a pointer to a pointer) that has an element of @size bytes for each key, in
 * the order of their values: *@n of them, and room for *@cap. The one of @key; a key without one gets
 * one that is zeroed, and *@n grows. NULL: no memory, and then nothing has changed.
 */
void *u64_map_element(struct u64_map *map, uint64_t key, void *array, size_t *n, size_t *cap,
		      size_t size);
void u64_map_done(struct u64_map *map);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/u64-map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define BITS_FIRST 6
#define BITS_MAX   31

static struct u64_map_slot *u64_map_find(const struct u64_map *map, uint64_t key)
{
	uint32_t mask = (1U << map->bits) - 1;
	uint32_t low = hash_u32((uint32_t)key, hash_seed());

	for (uint32_t i = hash_u32((uint32_t)(key >> 32) ^ low, hash_seed()) >> (32 - map->bits);;
	     i = (i + 1) & mask)
		if (!map->slots[i].value || map->slots[i].key == key)
			return &map->slots[i];
}

static int u64_map_grow(struct u64_map *map)
{
	struct u64_map larger = { .bits = map->slots ? map->bits + 1 : BITS_FIRST, .n = map->n };

	if (larger.bits > BITS_MAX)
		return -ENOMEM;
	larger.slots = mem_zalloc((size_t)1 << larger.bits, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; map->slots && i < (size_t)1 << map->bits; i++)
		if (map->slots[i].value)
			*u64_map_find(&larger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	*map = larger;
	return 0;
}

uint32_t u64_map_get(const struct u64_map *map, uint64_t key)
{
	return map->slots ? u64_map_find(map, key)->value - 1 : U64_MAP_NONE;
}

uint32_t u64_map_put(struct u64_map *map, uint64_t key)
{
	struct u64_map_slot *slot;

	if ((!map->slots || map->n >= 3U << (map->bits - 2)) && u64_map_grow(map) < 0)
		return U64_MAP_NONE;
	slot = u64_map_find(map, key);
	if (!slot->value)
		*slot = (struct u64_map_slot){ key, ++map->n };
	return slot->value - 1;
}

void *u64_map_element(struct u64_map *map, uint64_t key, void *array, size_t *n, size_t *cap,
		      size_t size)
{
	uint32_t place = u64_map_get(map, key);
	char *element;

	/* Reserve room first: there must be no key without its element. */
	if (place == U64_MAP_NONE && mem_reserve(array, cap, *n + 1, size) == 0) {
		place = u64_map_put(map, key);
		if (place != U64_MAP_NONE)
			memset(*(char **)array + (*n)++ * size, 0, size);
	}
	if (place == U64_MAP_NONE)
		return NULL;
	element = *(char **)array + place * size;
	return element;
}

void u64_map_done(struct u64_map *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}

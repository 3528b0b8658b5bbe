/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/devices/io-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define BITS_FIRST 6
#define BITS_MAX   24

static size_t io_table_home(const struct io_table *table, const struct io_key *key)
{
	uint32_t hash = hash_u32((uint32_t)key->sector, hash_seed());

	hash = hash_u32((uint32_t)(key->sector >> 32) ^ hash, hash_seed());
	hash = hash_u32(key->device ^ hash, hash_seed());
	hash = hash_u32(((uint32_t)(unsigned char)key->operation << 1 | key->is_empty) ^ hash,
			hash_seed());
	return hash >> (32 - table->bits);
}

static bool io_table_same(const struct io_key *a, const struct io_key *b)
{
	return a->sector == b->sector && a->device == b->device && a->operation == b->operation &&
	       a->is_empty == b->is_empty;
}

/* Returns the slot that contains the request, or would contain it. */
static struct io_request *io_table_find_slot(const struct io_table *table, const struct io_key *key)
{
	size_t mask = ((size_t)1 << table->bits) - 1;
	size_t i = io_table_home(table, key);

	while (table->slots[i].used && !io_table_same(&table->slots[i].key, key))
		i = (i + 1) & mask;
	return &table->slots[i];
}

struct io_request *io_table_find(const struct io_table *table, const struct io_key *key)
{
	struct io_request *slot = table->slots ? io_table_find_slot(table, key) : NULL;

	return slot && slot->used ? slot : NULL;
}

static int io_table_grow(struct io_table *table)
{
	struct io_table larger = { .bits = table->slots ? table->bits + 1 : BITS_FIRST,
				   .n = table->n };

	if (larger.bits > BITS_MAX)
		return -ENOMEM;
	larger.slots = mem_zalloc((size_t)1 << larger.bits, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; table->slots && i < (size_t)1 << table->bits; i++)
		if (table->slots[i].used)
			*io_table_find_slot(&larger, &table->slots[i].key) = table->slots[i];
	free(table->slots);
	*table = larger;
	return 0;
}

struct io_request *io_table_make(struct io_table *table, const struct io_key *key)
{
	struct io_request *slot;

	if ((!table->slots || table->n >= (size_t)3 << (table->bits - 2)) &&
	    io_table_grow(table) < 0)
		return NULL;
	slot = io_table_find_slot(table, key);
	if (!slot->used) {
		*slot = (struct io_request){ .key = *key, .used = true };
		table->n++;
	}
	return slot;
}

void io_table_remove(struct io_table *table, struct io_request *request)
{
	size_t mask = ((size_t)1 << table->bits) - 1;
	size_t hole = (size_t)(request - table->slots);

	/* Move later entries up, unless that would put them before their hash position. */
	for (size_t i = (hole + 1) & mask; table->slots[i].used; i = (i + 1) & mask) {
		size_t from = io_table_home(table, &table->slots[i].key);

		if (((i - from) & mask) < ((i - hole) & mask))
			continue;
		table->slots[hole] = table->slots[i];
		hole = i;
	}
	table->slots[hole].used = false;
	table->n--;
}

void io_table_clear(struct io_table *table)
{
	for (size_t i = 0; table->slots && i < (size_t)1 << table->bits; i++)
		table->slots[i].used = false;
	table->n = 0;
}

void io_table_done(struct io_table *table)
{
	free(table->slots);
	memset(table, 0, sizeof(*table));
}

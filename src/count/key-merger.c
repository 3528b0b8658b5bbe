/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count/key-merger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void key_merger_init(struct key_merger *merger, const struct count_columns *columns,
		     const struct count_sites *sites, const struct count_maps *maps, bool is_shared)
{
	*merger = (struct key_merger){ .columns = columns, .maps = maps };
	for (size_t i = 0; i < columns->n_keys; i++) {
		for (size_t j = 0; j < sites->n; j++) {
			const struct count_site *site = &sites->list[j];

			if (site->keys[i].fact == COUNT_FACT_FUNC &&
			    (is_shared || site->source->kind == COUNT_PROFILE))
				merger->is_inexact[i] = true;
			if (site->keys[i].fact == COUNT_FACT_KSTACK)
				merger->is_needed = true;
		}
		if (merger->is_inexact[i])
			merger->is_needed = true;
	}
}

/* 0: not in the kernel. */
static uint64_t key_merger_start(const struct key_merger *merger, uint64_t address)
{
	const struct kallsyms_symbol *symbol = kallsyms_function(&merger->kallsyms, NULL, address);

	return symbol ? symbol->address : 0;
}

/* Returns the ID to use for the stack @id, or -ENOMEM. */
static int64_t key_merger_stack(struct key_merger *merger, int64_t id)
{
	uint64_t addresses[COUNT_STACK_DEPTH];
	int64_t *known, *first;
	size_t n, before = merger->n_merged;

	known = u64_map_element(&merger->seen, (uint64_t)id, &merger->merged, &merger->n_merged,
				&merger->cap_merged, sizeof(*merger->merged));
	if (!known)
		return -ENOMEM;
	if (merger->n_merged == before)
		return *known;
	*known = id;
	n = count_maps_stack(merger->maps, id, addresses, COUNT_STACK_DEPTH);
	for (size_t i = 0; i < n; i++) {
		uint64_t start = key_merger_start(merger, addresses[i]);

		addresses[i] = start ?: addresses[i];
	}
	before = merger->n_ids;
	first = u64_map_element(&merger->stacks,
				hash_bytes(addresses, n * sizeof(*addresses), hash_seed()),
				&merger->ids, &merger->n_ids, &merger->cap_ids,
				sizeof(*merger->ids));
	if (!first)
		return -ENOMEM;
	if (merger->n_ids != before)
		*first = id;
	*known = *first;
	return *known;
}

int key_merger_apply(struct key_merger *merger, void *key)
{
	for (size_t i = 0; i < merger->columns->n_keys; i++) {
		const struct count_column *column = &merger->columns->keys[i];
		uint8_t *place = (uint8_t *)key + column->offset;
		int64_t value;

		memcpy(&value, place, sizeof(value));
		if (merger->is_inexact[i]) {
			value = (int64_t)key_merger_start(merger, (uint64_t)value);
		} else if (column->kind == COUNT_COLUMN_STACK && value >= 0) {
			value = key_merger_stack(merger, value);
			if (value < 0)
				return (int)value;
		} else {
			continue;
		}
		memcpy(place, &value, sizeof(value));
	}
	return 0;
}

void key_merger_done(struct key_merger *merger)
{
	kallsyms_done(&merger->kallsyms);
	u64_map_done(&merger->stacks);
	u64_map_done(&merger->seen);
	free(merger->ids);
	free(merger->merged);
	*merger = (struct key_merger){ 0 };
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes keys equal that show the same functions: addresses become those of the start of their
 * functions, and stacks that pass through the same functions get the same ID. Not thread-safe.
 */
#ifndef FATHOM_COUNT_KEY_MERGER_H
#define FATHOM_COUNT_KEY_MERGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/u64-map.h"
#include "count/maps.h"
#include "count/sites.h"
#include "symbols/kernel/kallsyms.h"

struct key_merger {
	const struct count_columns *columns;
	const struct count_maps *maps;
	bool is_inexact[COUNT_KEYS_MAX]; /* columns with addresses inside of functions */
	bool is_needed;
	struct kallsyms kallsyms;
	struct u64_map stacks; /* by the hash of their functions */
	struct u64_map seen; /* by ID */
	int64_t *ids; /* of each in @stacks: the ID to use */
	int64_t *merged; /* of each in @seen */
	size_t n_ids, cap_ids, n_merged, cap_merged;
};

/*
 * Finds out what has to be merged. @is_shared: programs of functions know only an address in them.
 * The arguments must outlive the merger. If it is needed, fill @kallsyms.
 */
void key_merger_init(struct key_merger *merger, const struct count_columns *columns,
		     const struct count_sites *sites, const struct count_maps *maps,
		     bool is_shared);
/* Changes the key. Returns 0 or -ENOMEM. */
int key_merger_apply(struct key_merger *merger, void *key);
void key_merger_done(struct key_merger *merger);

#endif

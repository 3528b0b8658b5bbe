/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/why/failure-set.h"

#include <string.h>

#include "base/hash.h"

static uint64_t failure_set_key_of(const char *call, int error, const char *about)
{
	uint64_t hash = hash_bytes(call, strlen(call), hash_seed() + (uint32_t)error);

	return hash * 31 + hash_bytes(about, strlen(about), hash_seed());
}

void failure_set_add(struct failure_set *set, const char *call, int error, const char *about)
{
	if (u64_map_put(&set->keys, failure_set_key_of(call, error, about)) == U64_MAP_NONE)
		set->nomem = true;
}

bool failure_set_has(const struct failure_set *set, const char *call, int error, const char *about)
{
	return u64_map_get(&set->keys, failure_set_key_of(call, error, about)) != U64_MAP_NONE;
}

void failure_set_done(struct failure_set *set)
{
	u64_map_done(&set->keys);
}

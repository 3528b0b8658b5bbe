/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A set of failed system calls: call, error and object. Only hashes of the strings are kept, so
 * collisions are possible. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_WHY_FAILURE_SET_H
#define FATHOM_ANALYZE_WHY_FAILURE_SET_H

#include <stdbool.h>

#include "base/u64-map.h"

/* Empty when zero-initialized. If memory is exhausted, @nomem is set, and failures are missing. */
struct failure_set {
	struct u64_map keys;
	bool nomem;
};

void failure_set_add(struct failure_set *set, const char *call, int error, const char *about);
bool failure_set_has(const struct failure_set *set, const char *call, int error, const char *about);
void failure_set_done(struct failure_set *set);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/hash.h"

#include <stdatomic.h>
#include <sys/random.h>

uint32_t hash_seed(void)
{
	static _Atomic uint32_t seed;
	uint32_t expected = 0, made = 0;

	if (atomic_load(&seed))
		return atomic_load(&seed);
	/* If no random numbers are available yet, address space randomization has to suffice. */
	if (getrandom(&made, sizeof(made), GRND_NONBLOCK) != sizeof(made))
		made = (uint32_t)((uintptr_t)&seed >> 12);
	/* Concurrent callers get the same seed. */
	atomic_compare_exchange_strong(&seed, &expected, made ? made : 1);
	return atomic_load(&seed);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is added up per key and bin, and what could not be counted. */
#ifndef FATHOM_COUNT_SUMS_H
#define FATHOM_COUNT_SUMS_H

#include <stdint.h>

/*
 * Sum, minimum and maximum are those of the value: signed or unsigned 64-bit numbers, see struct
 * count_columns. Sums wrap around.
 */
struct count_sums {
	uint64_t count, sum, min, max;
};

/* The bin of negative values in a distribution; others are those of spread_bin(). */
#define COUNT_BIN_NEGATIVE 496
#define COUNT_BIN_NONE	   0xffff /* the plan has no distribution */

/* Events that are missing from the result, or whose key is incomplete. */
struct count_losses {
	uint64_t full; /* not counted: too many different keys */
	uint64_t unpaired; /* ends without a begin: mostly begun before counting began */
	uint64_t open; /* begins without an end */
	uint64_t not_begun; /* begins not remembered: too many at a time, or nested too deeply */
	uint64_t unread; /* values in memory that could not be read; counted as empty or 0 */
	uint64_t no_stack; /* counted without a stack */
	uint64_t missed; /* probes that the kernel skipped */
};

/* Receives one key; @bin is COUNT_BIN_NONE unless the plan has a distribution. */
typedef int count_taker(void *data, const void *key, unsigned bin, const struct count_sums *sums);

#endif

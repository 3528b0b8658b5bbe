/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The least that reading a trace can cost: walk the pages of all CPUs in place and
 * merge them by time. No checks, no other byte order, no filters; only for files
 * that are known to be sound. What the library's cursor is measured against.
 */
#ifndef FATHOM_BENCH_BARE_WALK_H
#define FATHOM_BENCH_BARE_WALK_H

#include <stdint.h>

struct bare_cpu {
	const uint8_t *page, *end; /* pages that are left, the current one included */
	const uint8_t *pos, *page_end;
	const uint8_t *data;
	uint64_t time;
};

struct bare_sum {
	uint64_t events, hash;
};

/* Walks the pages of @n CPUs; @cpus have @page and @end set. Both sums are as bench-read's. */
struct bare_sum bare_walk(struct bare_cpu *cpus, unsigned n, uint32_t page_size);

#endif

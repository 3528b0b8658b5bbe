/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The minimum cost of reading a trace: walks the pages of all CPUs in place and merges them by
 * time. No checks, no byte swapping, no filters; only for valid files. The library's cursor is
 * compared with this.
 */
#ifndef FATHOM_BENCH_BARE_WALK_H
#define FATHOM_BENCH_BARE_WALK_H

#include <stdint.h>

struct bare_cpu {
	const uint8_t *page, *end; /* remaining pages, including the current one */
	const uint8_t *pos, *page_end;
	const uint8_t *data;
	uint64_t time;
};

struct bare_sum {
	uint64_t events, hash;
};

/* Walks the pages of @n CPUs; @cpus have @page and @end set. Both sums are those of bench-read. */
struct bare_sum bare_walk(struct bare_cpu *cpus, unsigned n, uint32_t page_size);

#endif

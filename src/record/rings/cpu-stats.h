/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's own account of a CPU's ring: per_cpu/cpuN/stats. */
#ifndef FATHOM_RECORD_RINGS_CPU_STATS_H
#define FATHOM_RECORD_RINGS_CPU_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

struct cpu_stats {
	uint64_t entries; /* in the ring now */
	uint64_t overrun; /* overwritten before they were read */
	uint64_t dropped; /* not written: the ring was full and must not overwrite, or in use */
	uint64_t bytes; /* in the ring now */
	uint64_t read; /* events read from it */
	uint64_t now; /* its clock: nanoseconds where it counts in seconds, else as it counts */
};

/* 0 when every line that is needed is there, else -EINVAL. */
int cpu_stats_parse(const char *text, struct cpu_stats *ret_stats);
/* Of @cpu in the instance @place; the text is appended to @text unless that is NULL. */
int cpu_stats_read(int place, uint32_t cpu, struct cpu_stats *ret_stats, struct strbuf *text);

/* The CPUs that have a ring in the instance @place, by number; to be freed. 0 or a negative errno. */
int cpu_list_read(int place, uint32_t **ret_cpus, size_t *ret_n);

static inline uint64_t cpu_stats_lost(const struct cpu_stats *stats)
{
	return stats->overrun + stats->dropped;
}

#endif

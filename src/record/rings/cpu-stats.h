/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's statistics of a per-CPU ring, per_cpu/cpuN/stats. @place is a descriptor of the
 * tracefs directory or of an instance.
 */
#ifndef FATHOM_RECORD_RINGS_CPU_STATS_H
#define FATHOM_RECORD_RINGS_CPU_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

struct cpu_stats {
	uint64_t entries; /* events in the ring */
	uint64_t overrun; /* events overwritten before they were read */
	uint64_t dropped; /* events not written: the ring was full without overwriting, or in use */
	uint64_t bytes; /* bytes in the ring */
	uint64_t read; /* events read */
	uint64_t now; /* of the trace clock, in ns if it counts time */
};

/* Returns 0, or -EINVAL if a required line is missing. */
int cpu_stats_parse(const char *text, struct cpu_stats *ret_stats);
/*
 * Reads the statistics of @cpu, and appends their text to @text unless that is NULL. Returns 0 or a
 * negative errno.
 */
int cpu_stats_read(int place, uint32_t cpu, struct cpu_stats *ret_stats, struct strbuf *text);

/*
 * Lists the CPUs that have a ring, in ascending order; the caller frees the list. Returns 0 or a
 * negative errno, -ENOENT if there are none.
 */
int cpu_list_read(int place, uint32_t **ret_cpus, size_t *ret_n);

/* Events that were lost, in total. */
static inline uint64_t cpu_stats_lost(const struct cpu_stats *stats)
{
	return stats->overrun + stats->dropped;
}

#endif

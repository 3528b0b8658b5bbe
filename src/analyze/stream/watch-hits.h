/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hits of watched memory, with the previous value, from perf records in chronological order.
 * Programs have separate memory: the previous value is that of the last hit in the same process, or
 * in the one from which it was forked.
 *
 * Uses memory per process and mapping. Times are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_STREAM_WATCH_HITS_H
#define FATHOM_ANALYZE_STREAM_WATCH_HITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/u64-map.h"
#include "format/event/perf-records.h"
#include "symbols/user/user-maps.h"

#define WATCH_PLACES_MAX 8

struct watch_values {
	uint64_t list[WATCH_PLACES_MAX];
	bool known[WATCH_PLACES_MAX];
};

struct watch_hit {
	uint64_t time;
	int32_t pid, tid;
	uint32_t cpu;
	char comm[16];
	uint32_t which; /* index of the watched place */
	bool has_value, has_old;
	uint64_t value, old;
	uint64_t ip;
	bool in_kernel;
	const struct perf_record *record;
};

struct watch_process;

/* Initialize to zero, except for the first two members. */
struct watch_hits {
	bool is_kernel; /* kernel memory is watched: all processes share it */
	/* Receives the mappings of watched processes; may be NULL; must outlive it. */
	struct user_maps *maps;
	struct u64_map pids;
	struct watch_process *processes;
	size_t n, cap;
	uint64_t count; /* number of hits */
	uint64_t strange; /* hits ignored because the process runs another program now */
	bool nomem;
};

void watch_hits_done(struct watch_hits *hits);
/*
 * Starts to watch a process (pid 0 for kernel memory) that has these values. Returns 0 or -ENOMEM.
 */
int watch_hits_start(struct watch_hits *hits, int32_t pid, const struct watch_values *values);
/*
 * Returns true if @record is a hit. *@ret_hit is valid as long as @record. If memory is exhausted,
 * sets @nomem.
 */
bool watch_hits_feed(struct watch_hits *hits, const struct perf_record *record,
		     struct watch_hit *ret_hit);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What happened to a watched place: fed with records of perf in the order of time, it tells for each
 * hit which value was there before. A program's memory is its own: the value before is that of the last hit in the
 * same process, or in the one that it was forked from.
 *
 * Memory is that of processes, and of what they map.
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
	uint32_t which; /* of the places */
	bool has_value, has_old;
	uint64_t value, old;
	uint64_t ip;
	bool in_kernel;
	const struct perf_record *record;
};

struct watch_process;

/* Zero-initialised, but for the first two. */
struct watch_hits {
	bool is_kernel; /* one memory for all */
	struct user_maps *maps; /* gets what is learnt about mappings; may be NULL */
	struct u64_map pids;
	struct watch_process *processes;
	size_t n, cap;
	uint64_t count; /* of hits */
	uint64_t strange; /* hits of processes that run another program by now: none of ours */
	bool nomem;
};

void watch_hits_done(struct watch_hits *hits);
/* The values of a process (of the kernel: pid 0) that is watched from now on. 0 or -ENOMEM. */
int watch_hits_start(struct watch_hits *hits, int32_t pid, const struct watch_values *values);
/* True: it was a hit, and *@ret_hit tells of it while @record is there. */
bool watch_hits_feed(struct watch_hits *hits, const struct perf_record *record,
		     struct watch_hit *ret_hit);

#endif

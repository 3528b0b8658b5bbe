/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A path through time: segments without gaps or overlap, each with its cause, and the sums of equal
 * causes.
 *
 * The sums are exact. The list of segments is bounded: when it is full, adjacent short segments are
 * folded into one, which has their number and the cause of the longest. The threshold for short
 * grows until there is room. If memory is exhausted, @nomem is set, and segments are missing. Times
 * are in ns. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_WAITS_CRITICAL_PATH_H
#define FATHOM_ANALYZE_WAITS_CRITICAL_PATH_H

#include "analyze/waits/wake-source.h"

#define CRITICAL_SEGMENTS_MAX ((size_t)1 << 16)

enum critical_kind {
	CRITICAL_RUN, /* @task ran, at @place */
	/* @task was runnable while @other occupied the CPU; TASK_NONE: it was idle. */
	CRITICAL_QUEUE,
	CRITICAL_QUEUE_UNKNOWN, /* the same, but it is unknown what occupied the CPU */
	CRITICAL_AWAIT, /* @task waited at @place for @source */
	CRITICAL_HANDLER, /* @task was on a CPU that handled @source */
	CRITICAL_UNKNOWN, /* what @task did is unknown; see @reason */
};

enum critical_reason {
	REASON_NOT_SEEN, /* no events, or lost events */
	REASON_NOT_OVER, /* it waited at @place, and the wait did not end */
	REASON_NO_WAKER, /* it waited at @place, and no wakeup was recorded */
	REASON_IDLE_WAKER, /* an idle CPU woke it, for an unknown reason */
	REASON_BEFORE_REQUEST, /* it waited for a device, before the request was issued */
	REASON_DEEP, /* the chain of waits was too long */
	REASON_FORGOTTEN, /* the log was too small to keep it */
};

struct critical_what {
	enum critical_kind kind;
	enum critical_reason reason;
	enum source_kind source;
	uint32_t task;
	uint32_t place; /* PLACE_NONE, or as in critical.h */
	uint32_t other;
	uint32_t number; /* of the source */
	char operation; /* of a block device */
};

struct critical_segment {
	uint64_t start, end;
	uint64_t longest; /* duration of the longest folded segment, or of the only one */
	struct critical_what what; /* of the longest */
	uint32_t level; /* number of tasks that wait for this */
	uint64_t n; /* number of folded segments */
};

struct critical_sum {
	struct critical_what what;
	uint64_t total, count;
};

/* Empty when zero-initialized. */
struct critical_path {
	struct critical_segment *list;
	size_t n, cap;
	uint64_t folded_below; /* shorter segments may be folded; 0: none were */
	/* Key of a cause -> index in @sums; the numbers of which keys consist. */
	struct u64_map keys, wheres, others;
	struct critical_sum *sums;
	size_t n_sums, cap_sums;
	bool nomem; /* segments are missing */
};

/* @segment must begin where the last one ended. @n and @longest are ignored. */
void critical_path_add(struct critical_path *path, const struct critical_segment *segment);
/* Folds adjacent segments that are shorter than @min. */
void critical_path_fold(struct critical_path *path, uint64_t min);
void critical_path_done(struct critical_path *path);

bool critical_what_eq(const struct critical_what *a, const struct critical_what *b);

#endif

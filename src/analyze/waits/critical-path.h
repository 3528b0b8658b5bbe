/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A path through time: segments that follow each other without a gap or an overlap, each with
 * what it was; and the sums of those that were the same.
 *
 * The sums are exact. The list of segments is bounded: when it is full, neighbours that are short
 * are folded into one, which says how many they were, and which was the longest. What counts
 * as short grows until there is room.
 */
#ifndef FATHOM_ANALYZE_WAITS_CRITICAL_PATH_H
#define FATHOM_ANALYZE_WAITS_CRITICAL_PATH_H

#include "analyze/waits/wake-source.h"

#define CRITICAL_SEGMENTS_MAX ((size_t)1 << 16)

enum critical_kind {
	CRITICAL_RUN, /* @task was on a CPU, at @place */
	CRITICAL_QUEUE, /* @task waited for a CPU, which @other had; TASK_NONE: which was idle */
	CRITICAL_QUEUE_UNKNOWN, /* the same, and nobody knows who had it */
	CRITICAL_AWAIT, /* @task waited at @place for @source */
	CRITICAL_HANDLER, /* @task was on a CPU, and it had to serve @source */
	CRITICAL_UNKNOWN, /* of @task it is not known; see @reason */
};

enum critical_reason {
	REASON_NOT_SEEN, /* no event tells it, or some were lost */
	REASON_NOT_OVER, /* it waited at @place, and nothing had ended that */
	REASON_NO_WAKER, /* it waited at @place, and nobody was seen to end it */
	REASON_IDLE_WAKER, /* an idle CPU did, so it is not known why */
	REASON_BEFORE_REQUEST, /* it waited for a device that had not got the request yet */
	REASON_DEEP, /* it waited for others, for too many in a row */
	REASON_FORGOTTEN, /* there was no room to remember it */
};

struct critical_what {
	enum critical_kind kind;
	enum critical_reason reason;
	enum source_kind source;
	uint32_t task;
	uint32_t place; /* PLACE_NONE, or as critical.h says */
	uint32_t other;
	uint32_t number; /* of the source */
	char operation; /* of a source that is a block device */
};

struct critical_segment {
	uint64_t start, end;
	uint64_t longest; /* the longest of those that were folded; its own time when there is one */
	struct critical_what what; /* of that one */
	uint32_t level; /* how many tasks wait for what this is */
	uint64_t n; /* how many were folded */
};

struct critical_sum {
	struct critical_what what;
	uint64_t total, count;
};

/* Zero-initialised is empty. */
struct critical_path {
	struct critical_segment *list;
	size_t n, cap;
	uint64_t folded_below; /* what is shorter may be folded; 0: all is there */
	struct u64_map keys, wheres, others; /* places in @sums, and small numbers for its keys */
	struct critical_sum *sums;
	size_t n_sums, cap_sums;
	bool nomem; /* something is missing */
};

/* @segment begins where the last one ended. Its @n and @longest are set here. */
void critical_path_add(struct critical_path *path, const struct critical_segment *segment);
/* Folds neighbours that are shorter than @min. */
void critical_path_fold(struct critical_path *path, uint64_t min);
void critical_path_done(struct critical_path *path);

bool critical_what_eq(const struct critical_what *a, const struct critical_what *b);

#endif

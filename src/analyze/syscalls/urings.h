/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pending requests of io_uring, by submitter. A request belongs to the task that submitted it or,
 * if a kernel thread takes requests from the ring, to the task that created the ring, no matter
 * which task completes it. Requests of other rings are unknown.
 *
 * Uses memory per ring and task, and for a limited number of requests: the oldest are forgotten. If
 * it is exhausted, @nomem is set, and requests are missing. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_URINGS_H
#define FATHOM_ANALYZE_SYSCALLS_URINGS_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

/* Empty when zero-initialized. */
struct urings {
	struct u64_map contexts; /* address of the ring -> index in @rings */
	struct uring *rings;
	size_t n_rings, cap_rings;
	struct uring_request *requests; /* slots; NULL until the first request */
	struct u64_map pids; /* pid -> index in @last */
	struct uring_last *last; /* latest request of each task in its current call */
	size_t n_last, cap_last;
	uint64_t tag;
	bool nomem;
};

struct uring_request {
	uint64_t tag; /* counts all requests from 1; 0: the slot is free */
	uint64_t ring, key; /* @key: identifies the request in its completion */
	int32_t pid;
	/* In its ring, from 1; 0: unknown, because the ring predates the recording. */
	uint64_t number;
	uint64_t data; /* as set by the program */
	const char *name; /* "io_uring:openat", or "io_uring"; static */
	bool unclear; /* cannot be distinguished from another one, which may be the completed one */
	bool done;
	char *path; /* path that was looked up; NULL: none or unknown */
};

/* Returns "io_uring:openat", or "io_uring" if the operation has no name. The string is static. */
const char *uring_name(unsigned operation);
/* Call for every event, in chronological order. */
void urings_feed(struct urings *urings, const struct decoded_event *decoded);
/*
 * Finds the request of a URING_COMPLETE event. Returns false if the ring is unknown. If only the
 * request is unknown, *@ret has a generic name, and the pid of the ring. The path is valid until
 * the next urings_feed().
 */
bool urings_complete(struct urings *urings, const struct decoded_event *decoded,
		     struct uring_request *ret);
void urings_done(struct urings *urings);

#endif

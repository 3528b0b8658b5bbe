/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests of io_uring: who submitted which, until it completes. Whoever completes it, a request belongs to the task that
 * submitted it, or that made the ring if a thread of the kernel takes requests from it; of rings of which neither is known
 * nothing is. Memory is bounded: of very many requests at once the oldest are forgotten.
 */
#ifndef FATHOM_ANALYZE_SYSCALLS_URINGS_H
#define FATHOM_ANALYZE_SYSCALLS_URINGS_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

/* Zero-initialised is empty. */
struct urings {
	struct u64_map contexts; /* places in @rings */
	struct uring *rings;
	size_t n_rings, cap_rings;
	struct uring_request *requests; /* slots; NULL: there was none yet */
	struct u64_map pids; /* places in @last */
	struct uring_last *last; /* what each task submitted last in the call that it is in */
	size_t n_last, cap_last;
	uint64_t tag;
	bool nomem;
};

struct uring_request {
	uint64_t tag; /* counts all requests from 1 on; 0: the slot is free */
	uint64_t ring, key; /* @key: by which the completion is known to be its */
	int32_t pid;
	uint64_t number; /* in its ring, from 1 on; 0: not known, as the ring is older than the recording */
	uint64_t data; /* the program's */
	const char *name; /* "io_uring:openat", or "io_uring" */
	bool unclear; /* another one may have ended: completions do not tell them apart */
	bool done;
	char *path; /* that was looked for; NULL: none, or not known */
};

/* "io_uring:openat"; "io_uring" if there is no name for the operation. */
const char *uring_name(unsigned operation);
/* To be fed with all events, in order of time. */
void urings_feed(struct urings *urings, const struct decoded_event *decoded);
/*
 * Whose completion it is; false: of a ring that is not known. Of a request that is not known *@ret has name and data, and as pid that of the ring.
 * The path is good until the next feed.
 */
bool urings_complete(struct urings *urings, const struct decoded_event *decoded,
		     struct uring_request *ret);
void urings_done(struct urings *urings);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Joins what probes record to the calls that function_graph tells of: what a probe at the
 * beginning of a function has seen are the call's arguments, what one at its return has seen
 * is its result.
 *
 * The two events of a pair come one behind the other in their task, in an order that
 * differs between kernels, and events of others may lie between them. So the first is held
 * back, and all that comes behind it, until the second is there or cannot come any more: the
 * order of events stays. At most PROBE_JOIN_MAX are held, whatever happens.
 */
#ifndef FATHOM_ANALYZE_STREAM_PROBE_JOIN_H
#define FATHOM_ANALYZE_STREAM_PROBE_JOIN_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

#define PROBE_JOIN_MAX 4096

struct held_event;

/* Zero-initialised with @reader set is empty. */
struct probe_join {
	struct event_decoder *reader;
	struct u64_map funcs; /* places in @seen */
	uint8_t *seen; /* what there was of each function */
	size_t n_seen, cap_seen;
	struct held_event *held; /* a ring of PROBE_JOIN_MAX; NULL: nothing was held yet */
	size_t first, n;
	size_t waiting; /* of them */
	bool sparse; /* not each call of a function has a result: any may be the first that has one */
	bool nomem; /* something is missing */
};

/* Is there anything to join in a trace with these events? */
bool probe_join_is_needed(const struct event_table *table);
/* Are there results that were recorded only of calls for which they matter? */
bool probe_join_is_sparse(const struct event_table *table);
/* True: @decoded was taken over, and comes out of probe_join_next(). False: go on with it. */
bool probe_join_put(struct probe_join *join, const struct decoded_event *decoded);
/* The next that is held no longer; it is good until something is put. False: there is none. */
bool probe_join_next(struct probe_join *join, struct decoded_event *ret_decoded);
/* Nothing more comes: all can go. */
void probe_join_end(struct probe_join *join);
void probe_join_done(struct probe_join *join);

#endif

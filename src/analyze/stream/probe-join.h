/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Joins probe hits to the calls recorded by function_graph: the values recorded by an entry probe
 * become the arguments of the call, that of an exit probe its result.
 *
 * The two events of a pair are close together in their task, in an order that depends on the
 * kernel, and other events may be in between. So the first event and everything after it are held
 * back until the second one arrives, or can no longer arrive; events stay in order. At most
 * PROBE_JOIN_MAX events are held. Held events are copies: their bytes are valid until the next
 * probe_join_put().
 *
 * If memory is exhausted, @nomem is set, and events are passed on unjoined, perhaps out of order.
 * Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_STREAM_PROBE_JOIN_H
#define FATHOM_ANALYZE_STREAM_PROBE_JOIN_H

#include "analyze/stream/decoded-event.h"
#include "base/u64-map.h"

#define PROBE_JOIN_MAX 4096

struct held_event;

/* Initialize to zero, except for @reader, which must outlive it, and @sparse. */
struct probe_join {
	struct event_decoder *reader;
	struct u64_map funcs; /* address -> index in @seen */
	uint8_t *seen; /* kinds of events seen, by function */
	size_t n_seen, cap_seen;
	struct held_event *held; /* ring of PROBE_JOIN_MAX; NULL until an event is held */
	size_t first, n;
	size_t waiting; /* number that wait for their pair */
	/* Results were recorded for some calls only: any call may be the first to have one. */
	bool sparse;
	bool nomem; /* events are missing */
};

/* Returns whether a trace with these events has probe values to join. */
bool probe_join_is_needed(const struct event_table *table);
/* Returns whether results were recorded only for calls where they matter; see @sparse. */
bool probe_join_is_sparse(const struct event_table *table);
/*
 * Takes an event. Returns true if probe_join_next() will return it, or false if it is to be passed
 * on directly.
 */
bool probe_join_put(struct probe_join *join, const struct decoded_event *decoded);
/* Returns the next event that no longer has to be held. Returns false if there is none. */
bool probe_join_next(struct probe_join *join, struct decoded_event *ret_decoded);
/* No more events follow: releases all that are held. */
void probe_join_end(struct probe_join *join);
void probe_join_done(struct probe_join *join);

#endif

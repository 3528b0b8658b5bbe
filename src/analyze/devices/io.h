/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Block requests: by device and operation how many, how large, how long the device took for
 * them (from issue to complete) and how long they were queued before (from insert to issue).
 *
 * Events tell of a request by device, operation and sector. Where two requests of the same are
 * under way at once nobody knows which one ends, and where events were lost, whether that is
 * the one that began: such requests are counted as cut, and have no time. That events were lost is known
 * when the next event of that CPU comes; what ended meanwhile on others is believed.
 *
 * Of a request that the device had, or that was queued, at a border of the window the part inside has a time, unless it is
 * given back, merged, or mistaken for another afterwards; so some of what follows the window is needed, too.
 *
 * In a recording of some tasks a thread of the kernel may have given a request to the device, and any
 * task may have been interrupted by its end: a request of which only one of these is there is cut
 * as well, and how many a device had at once is not known.
 *
 * Memory is that of the requests that are under way.
 */
#ifndef FATHOM_ANALYZE_DEVICES_IO_H
#define FATHOM_ANALYZE_DEVICES_IO_H

#include "analyze/stream/decoded-event.h"
#include "analyze/sums/heat.h"
#include "analyze/devices/io-table.h"
#include "analyze/sums/latency.h"
#include "base/u64-map.h"

struct io_row {
	uint32_t device; /* major << 20 | minor */
	char operation; /* of struct decoded_event */
	uint64_t count; /* of requests of which all is known */
	uint64_t bytes;
	uint64_t errors;
	uint64_t cut; /* requests of which the time is not known, or not all of it in the window */
	uint64_t requeued; /* given back by the device, which is done with them later */
	uint64_t merged; /* that became a part of others while they were queued */
	uint32_t depth; /* most requests that the device had, when it got one of these; not known of a part */
	struct latency took;
	struct latency queued;
	uint64_t took_partial, queued_partial; /* time of parts; not in those two */
};

/* Zero-initialised is empty. */
struct io {
	uint64_t from, to; /* the window; 0 as its end: there is none */

	struct u64_map places; /* of rows, in @list */
	struct io_row *list;
	size_t n, cap;
	struct u64_map devices; /* places in @in_flight */
	uint32_t *in_flight; /* requests that a device has */
	size_t n_devices, cap_devices;
	struct io_table table;
	struct heat heat; /* by the time at which requests were done */
	bool has_buffer;
	uint16_t buffer; /* the first one with requests; others would tell of them again */
	bool has_gap; /* events were lost */
	bool is_part; /* set before: requests that other tasks dealt with were not recorded */
	bool nomem; /* something is missing */
};

/* By what its events tell of a request. */
struct io_key io_key_of(const struct decoded_event *decoded);
/*
 * To be fed with all events, in order of time, those that are unwanted as well: a request counts
 * when it is wanted as it is queued, or as the device gets it.
 */
void io_feed(struct io *io, const struct decoded_event *decoded);
/*
 * The request that a COMPLETE is about, before that is fed; NULL: not known. Valid until the next
 * event is fed.
 */
const struct io_request *io_find(const struct io *io, const struct decoded_event *decoded);
/* Which of them choose requests, for struct feed. */
#define IO_FILTERED (1ULL << DECODED_BLOCK_INSERT | 1ULL << DECODED_BLOCK_ISSUE)
/*
 * Requests that are not done are counted as cut; what goes on does so until @to, which is not before the last event
 * of the window. -ENOMEM when something is missing, else 0.
 */
int io_finish(struct io *io, uint64_t to);
/* Is there something to tell of it? */
bool io_row_is_seen(const struct io_row *row);
void io_done(struct io *io);

#endif

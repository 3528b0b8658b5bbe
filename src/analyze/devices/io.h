/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Block requests by device and operation: count, size, service time (from issue to completion) and
 * queueing time before that (from insert to issue).
 *
 * Events identify a request by device, operation and sector. If two requests with the same key are
 * pending, it is unknown which one completes, and after lost events, whether the completed one is
 * the one that was issued: such requests are counted as cut, without times. Lost events are
 * detected at the next event of that CPU; completions on other CPUs before that are considered
 * valid.
 *
 * A request across a border of the window has a partial time, unless it is later requeued, merged
 * or mistaken for another; so events after the window are needed as well.
 *
 * In a recording of some tasks, a kernel thread may have issued a request, and its completion may
 * have interrupted any task: a request with only one of these events is cut as well, and queue
 * depths are unknown.
 *
 * Uses memory for pending requests, at most 65536. If it is exhausted, @nomem is set, and requests
 * are missing. Times are in ns. Not thread-safe.
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
	char operation; /* as in struct decoded_event */
	uint64_t count; /* requests with all events */
	uint64_t bytes;
	uint64_t errors;
	uint64_t cut; /* requests whose time is unknown, or not completely in the window */
	uint64_t requeued; /* returned by the device unfinished */
	uint64_t merged; /* merged into others while queued */
	/*
	 * Maximum number of requests at the device when one of these was issued; unknown with
	 * struct io.is_part.
	 */
	uint32_t depth;
	struct latency took;
	struct latency queued;
	uint64_t took_partial, queued_partial; /* times of parts; not in @took and @queued */
};

/* Empty when zero-initialized. */
struct io {
	uint64_t from, to; /* the window, in ns; @to 0: no end */

	struct u64_map places; /* device and operation -> index in @list */
	struct io_row *list;
	size_t n, cap;
	struct u64_map devices; /* index in @in_flight */
	uint32_t *in_flight; /* requests issued to each device */
	size_t n_devices, cap_devices;
	struct io_table table;
	struct heat heat; /* by time of completion */
	bool has_buffer;
	uint16_t buffer; /* the first one with requests: others duplicate its events */
	bool has_gap; /* events were lost */
	/* Set before the first event: requests handled by other tasks were not recorded. */
	bool is_part;
	bool nomem; /* requests are missing */
};

/* Returns the key by which events identify a request. */
struct io_key io_key_of(const struct decoded_event *decoded);
/*
 * Call for every event, in chronological order, including unwanted ones: a request counts if its insert
 * or its issue is wanted.
 */
void io_feed(struct io *io, const struct decoded_event *decoded);
/*
 * Returns the request of a BLOCK_COMPLETE, before that event is fed, or NULL if unknown. Valid
 * until the next io_feed().
 */
const struct io_request *io_find(const struct io *io, const struct decoded_event *decoded);
/* The kinds of events that select requests, for struct feed. */
#define IO_FILTERED (1ULL << DECODED_BLOCK_INSERT | 1ULL << DECODED_BLOCK_ISSUE)
/*
 * Counts pending requests as cut. They last until @to, which is not before the last event of the
 * window. Returns 0, or -ENOMEM if requests are missing.
 */
int io_finish(struct io *io, uint64_t to);
/* Returns whether there is anything to show. */
bool io_row_is_seen(const struct io_row *row);
void io_done(struct io *io);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Number and size of the requests to block devices. A request is counted when it is queued, or when
 * it is issued if it was not queued: recordings that are limited to some tasks usually contain the
 * insert event, which occurs in the task, whereas a kernel thread may issue the request.
 *
 * Uses memory for queued requests, of which there are at most 65536. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_DEVICES_DISK_REQUESTS_H
#define FATHOM_ANALYZE_DEVICES_DISK_REQUESTS_H

#include "analyze/stream/decoded-event.h"
#include "analyze/devices/io-table.h"

/* Empty when zero-initialized. */
struct disk_requests {
	uint64_t count, bytes;
	bool is_part; /* set before the first event: requests of other tasks were not recorded */
	struct io_table queued; /* not issued yet */
	bool nomem; /* some requests may be counted twice */
};

/* Call for every event, in chronological order. */
void disk_requests_feed(struct disk_requests *disk, const struct decoded_event *decoded);
void disk_requests_done(struct disk_requests *disk);

#endif

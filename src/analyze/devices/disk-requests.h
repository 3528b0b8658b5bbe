/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How many requests block devices were asked for, and of how many bytes. A request counts when it is
 * queued, or when the device gets it if it was not queued: in a recording of some tasks the first is
 * mostly there, as they do it themselves, while a thread of the kernel may do the second.
 *
 * Memory is that of the requests that are queued.
 */
#ifndef FATHOM_ANALYZE_DEVICES_DISK_REQUESTS_H
#define FATHOM_ANALYZE_DEVICES_DISK_REQUESTS_H

#include "analyze/stream/decoded-event.h"
#include "analyze/devices/io-table.h"

/* Zero-initialised is empty. */
struct disk_requests {
	uint64_t count, bytes;
	bool is_part; /* set before: those of other tasks were not recorded */
	struct io_table queued; /* that the device has not got yet */
	bool nomem; /* some may have counted twice */
};

/* To be fed with all events, in order of time. */
void disk_requests_feed(struct disk_requests *disk, const struct decoded_event *decoded);
void disk_requests_done(struct disk_requests *disk);

#endif

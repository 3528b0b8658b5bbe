/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf_event_open(2) and the ring that an event writes its records to. A record that was handed out
 * stays until the ring is released, and the kernel never overwrites what was not: it counts a loss.
 */
#ifndef FATHOM_KERNEL_PERF_PERF_RING_H
#define FATHOM_KERNEL_PERF_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The file of an event, or a negative errno. @cpu -1: wherever the task @pid runs; @pid -1: all tasks. */
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu);

struct perf_ring {
	struct perf_event_mmap_page *head; /* NULL: there is none */
	const uint8_t *data;
	uint64_t size; /* of the data; a power of two */
	uint64_t at; /* what was read up to */
	uint64_t until; /* what is handed out up to, when @is_marked */
	bool is_marked;
	uint8_t *whole; /* room for a record that the end of the ring cuts in two */
};

/* Of the event @fd, with at least @bytes for records. 0 or a negative errno. */
int perf_ring_init(struct perf_ring *ring, int fd, size_t bytes);
void perf_ring_done(struct perf_ring *ring);

/*
 * The next record with its header, good until the next call. Its size, or 0 when there is none now. What the
 * kernel wrote is believed as far as sizes are within the ring; a ring gone wrong is empty.
 */
size_t perf_ring_next(struct perf_ring *ring, const uint8_t **ret_record);
/* Until it is released, only what is there now is handed out. */
void perf_ring_mark(struct perf_ring *ring);
/* Hands out once more what was not released. */
void perf_ring_rewind(struct perf_ring *ring);
/* Gives the space of all records that were handed out back to the kernel. */
void perf_ring_release(struct perf_ring *ring);

#endif

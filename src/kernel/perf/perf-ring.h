/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf_event_open(2), and the ring buffer to which an event writes its records. The kernel does not
 * overwrite records before perf_ring_release(), not even those that perf_ring_next() has returned;
 * if the ring is full, it drops new ones and counts them as lost. One thread may use a ring at a
 * time.
 */
#ifndef FATHOM_KERNEL_PERF_PERF_RING_H
#define FATHOM_KERNEL_PERF_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Opens an event. @cpu -1: on any CPU that the task @pid runs on; @pid -1: all tasks on @cpu. Sets
 * the size of @attr. Returns a descriptor, to be closed by the caller, or a negative errno.
 */
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu);

struct perf_ring {
	struct perf_event_mmap_page *head; /* NULL: not initialized */
	const uint8_t *data;
	uint64_t size; /* of the data, in bytes; a power of two */
	uint64_t at; /* end of the last record that was returned */
	uint64_t until; /* end of the records to return, if @is_marked */
	bool is_marked;
	uint8_t *whole; /* a copy of a record that wraps around the end of the ring */
};

/*
 * Maps the ring of the event @fd, with at least @bytes for records. Returns 0 or a negative errno.
 */
int perf_ring_init(struct perf_ring *ring, int fd, size_t bytes);
void perf_ring_done(struct perf_ring *ring);

/*
 * Returns the size of the next record, with its header, or 0 if there is none. *@ret_record is
 * valid until the next call or the release. Sizes are checked against the ring; a ring with an
 * invalid record reads as empty.
 */
size_t perf_ring_next(struct perf_ring *ring, const uint8_t **ret_record);
/* Until the next release, perf_ring_next() returns only records that exist now. */
void perf_ring_mark(struct perf_ring *ring);
/* Returns to the first record that has not been released. */
void perf_ring_rewind(struct perf_ring *ring);
/* Gives the space of all returned records back to the kernel, and removes the mark. */
void perf_ring_release(struct perf_ring *ring);

#endif

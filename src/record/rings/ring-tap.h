/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies the pages of rings to memory, for live analysis. Unlike the pump, it also takes partial
 * pages, so nothing stays in a quiet ring. It has no threads: the caller polls, several times a
 * second. One thread may use it at a time.
 */
#ifndef FATHOM_RECORD_RINGS_RING_TAP_H
#define FATHOM_RECORD_RINGS_RING_TAP_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/block-ring.h"

struct ring_tap_source {
	int place; /* descriptor of the instance */
	uint32_t cpu;
	struct block_ring *to; /* its blocks have the page size of the instance */
};

struct ring_tap;

/*
 * Opens the rings. All instances must use the same clock; their descriptors and @to must outlive
 * the tap. Returns 0 or a negative errno.
 */
int ring_tap_new(const struct ring_tap_source *sources, size_t n, struct ring_tap **ret_tap,
		 struct fathom_err *err);
void ring_tap_free(struct ring_tap *tap);
static inline void ring_tap_free_p(struct ring_tap **tap)
{
	ring_tap_free(*tap);
}
#define _cleanup_ring_tap_ __attribute__((cleanup(ring_tap_free_p)))

/*
 * Copies the data in the rings, as far as there is room. All events before *@ret_until, which never
 * decreases, have been copied by then. Returns 1 if a ring could not be emptied, 0, or a negative
 * errno.
 */
int ring_tap_take(struct ring_tap *tap, uint64_t *ret_until, struct fathom_err *err);
/* The same with tracing off: *@ret_until is UINT64_MAX once everything was copied. */
int ring_tap_take_rest(struct ring_tap *tap, uint64_t *ret_until, struct fathom_err *err);
/* Returns how many events the kernel has lost so far, in all rings. */
uint64_t ring_tap_lost(const struct ring_tap *tap);

#endif

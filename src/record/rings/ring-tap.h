/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes what rings hold, page by page, into memory, for those who look at it at once.
 * Unlike the pump it also takes pages that are not full yet, so that nothing waits in a
 * ring where little happens. There are no threads: the caller asks for it, some times a second.
 */
#ifndef FATHOM_RECORD_RINGS_RING_TAP_H
#define FATHOM_RECORD_RINGS_RING_TAP_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/block-ring.h"

struct ring_tap_source {
	int place; /* directory of the instance */
	uint32_t cpu;
	struct block_ring *to; /* its blocks are pages of the instance */
};

struct ring_tap;

/* All places must have the same clock. */
int ring_tap_new(const struct ring_tap_source *sources, size_t n, struct ring_tap **ret_tap,
		 struct fathom_err *err);
void ring_tap_free(struct ring_tap *tap);
static inline void ring_tap_free_p(struct ring_tap **tap)
{
	ring_tap_free(*tap);
}
#define _cleanup_ring_tap_ __attribute__((cleanup(ring_tap_free_p)))

/*
 * Takes what there is, as far as there is room. Up to the time *@ret_until, which never goes
 * back, nothing will come any more. 1 when more could have been taken, else 0, or a negative
 * errno.
 */
int ring_tap_take(struct ring_tap *tap, uint64_t *ret_until, struct fathom_err *err);
/* The same when tracing is off: when all was taken, *@ret_until is UINT64_MAX. */
int ring_tap_take_rest(struct ring_tap *tap, uint64_t *ret_until, struct fathom_err *err);
/* Events that the kernel has lost so far, of all rings. */
uint64_t ring_tap_lost(const struct ring_tap *tap);

#endif

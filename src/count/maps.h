/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The BPF maps of a plan: what they contain, how large they are, and reading them. All maps are
 * allocated in advance, because allocating in a probe can deadlock.
 *
 * Sums are per CPU: a program adds to the slot of its CPU without atomic operations, and the reader
 * adds up the slots. Nothing is ever deleted from them, so a reader sees each key exactly once.
 */
#ifndef FATHOM_COUNT_MAPS_H
#define FATHOM_COUNT_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include <fathom/err.h>

#include "count/columns.h"
#include "count/plan.h"
#include "count/sums.h"

/* How many calls in progress are remembered per thread and function. A power of two. */
#define COUNT_NESTED_MAX 8
/* Limits the key and the columns of a begin, so that they fit in the stack frame of a program. */
#define COUNT_KEY_BYTES_MAX 256
#define COUNT_STACK_DEPTH   127

/* What could not be counted, in the order of struct count_losses. */
enum count_loss {
	COUNT_LOSS_FULL,
	COUNT_LOSS_UNPAIRED,
	COUNT_LOSS_NOT_BEGUN,
	COUNT_LOSS_UNREAD,
	COUNT_LOSS_NO_STACK,
	COUNT_LOSSES,
};

/*
 * Keys of sums are those of struct count_columns, followed by 8 bytes with the bin of a
 * distribution. Without keys, sums are an array by bin. The begin of a pair is a frame: its time (0:
 * its end is not to be counted), and the columns that come from the begin. Paired by thread, there are COUNT_NESTED_MAX frames
 * after the number of those in use.
 */
struct count_layout {
	uint32_t key_size; /* with the bin; 4 if sums are an array */
	uint32_t value_size; /* 8: the count only; or a struct count_sums */
	bool is_array, has_bins;
	bool is_paired, by_thread;
	uint32_t frame_size;
	uint32_t frame_keys[COUNT_KEYS_MAX]; /* offsets in the frame; 0: not from the begin */
	uint32_t frame_value; /* likewise */
	bool has_stacks;
};

struct count_maps {
	int sums, open, empty, losses, stacks; /* descriptors; -1: not needed */
	unsigned n_cpus; /* possible ones */
	uint64_t bytes; /* approximate size */
};

#define COUNT_MAPS_NONE                                                         \
	{                                                                       \
		.sums = -1, .open = -1, .empty = -1, .losses = -1, .stacks = -1 \
	}

/*
 * Computes the layout. @is_traced: begins and ends belong together if they have the same context,
 * see COUNT_TRACED. Returns 0, or -E2BIG with a message if the keys are too
 * long.
 */
int count_layout_init(struct count_layout *layout, const struct count_plan *plan,
		      const struct count_columns *columns, const struct count_site *sites, size_t n,
		      bool is_traced, struct fathom_err *err);

/*
 * Creates the maps, for at most @max_keys keys. Returns 0, -E2BIG if they would need more than
 * @max_memory bytes, or another negative errno, with a message.
 */
int count_maps_init(struct count_maps *maps, const struct count_layout *layout, uint32_t max_keys,
		    uint64_t max_memory, struct fathom_err *err);
void count_maps_done(struct count_maps *maps);

/* Passes all sums that are not zero to @take. */
int count_maps_read(const struct count_maps *maps, const struct count_layout *layout,
		    bool is_signed, count_taker *take, void *data);
/* Adds up what could not be counted. */
int count_maps_losses(const struct count_maps *maps, const struct count_layout *layout,
		      struct count_losses *ret_losses);
size_t count_maps_stack(const struct count_maps *maps, int64_t id, uint64_t *addresses, size_t max);

#endif

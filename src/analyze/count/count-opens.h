/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Begins that wait for their ends, by thread or by another key. Several begins can be open with one
 * key, if @nested is greater than 1: the latest ends first. If there are too many, the ends of the
 * earlier ones were missed, and they are forgotten. If only one can be open, a later begin replaces
 * it, which is not counted: a task that is woken twice waits once. BPF programs do the same.
 *
 * Events that were lost may have been begins or ends: whatever is open with a key that may be
 * concerned is forgotten then, and counted as open. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_COUNT_COUNT_OPENS_H
#define FATHOM_ANALYZE_COUNT_COUNT_OPENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/stream/gaps.h"
#include "count/columns.h"

#define COUNT_OPENS_NESTED 8 /* the maximum of @nested */

/* What a begin leaves for its end. */
struct count_frame {
	uint64_t time, value;
	bool rejected; /* by the filter: its end is not counted */
	uint64_t key[]; /* @key_size bytes, with the columns that the begin has */
};

struct count_open;

/* Zero-initialized, except for @key_size, @nested and @by_thread: empty. */
struct count_opens {
	uint32_t key_size;
	unsigned nested;
	bool by_thread; /* the key contains the thread: only gaps on its CPUs concern it */
	struct gaps gaps;
	uint64_t n_gaps; /* on all CPUs */
	struct count_open *list;
	size_t n_list, cap_list;
	uint32_t free; /* index of the first free element + 1, or 0 */
	uint32_t *slots; /* hash table: index in @list + 1 */
	size_t n_slots, n; /* @n: number of keys with an open begin */
	uint64_t forgotten; /* begins without an end so far */
	uint64_t not_begun; /* times that too many were open */
};

/* Call for every event, in chronological order. */
void count_opens_note(struct count_opens *opens, const struct decoded_event *decoded);
/* Returns the frame of a new begin, to be filled, or NULL if memory is exhausted. */
struct count_frame *count_opens_begin(struct count_opens *opens, uint64_t key,
				      const struct fathom_event *event);
/* Ends the latest begin. Returns its frame, valid until the next call, or NULL if there is none. */
const struct count_frame *count_opens_end(struct count_opens *opens, uint64_t key,
					  const struct fathom_event *event);
/* Forgets the begins of this key, which were all missed. */
void count_opens_forget(struct count_opens *opens, uint64_t key);
/* Moves the begins from one key to another, whose begins are forgotten. */
void count_opens_move(struct count_opens *opens, uint64_t from, uint64_t to);
/* Returns the number of begins that have no end. */
uint64_t count_opens_left(const struct count_opens *opens);
void count_opens_done(struct count_opens *opens);

#endif

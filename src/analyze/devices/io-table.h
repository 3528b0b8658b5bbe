/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The block requests that are under way, by device, operation and sector: a hash table from
 * which they are taken out again, so that its size is that of what is under way.
 */
#ifndef FATHOM_ANALYZE_DEVICES_IO_TABLE_H
#define FATHOM_ANALYZE_DEVICES_IO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io_key {
	uint64_t sector;
	uint32_t device;
	char operation; /* of struct decoded_event */
	bool is_empty; /* has no sectors */
};

/* All that is known under one key; mostly that is one request. */
struct io_request {
	struct io_key key;
	bool used;

	bool is_queued; /* since @queued_since */
	bool is_queued_twice; /* so that nobody knows which of them goes first */
	bool is_requeued; /* the device has given it back; it may be told to be queued again */
	bool is_queued_wanted;
	uint64_t queued_since;

	uint32_t issued; /* requests that the device has */
	bool is_ambiguous; /* there were more than one */
	bool is_unwanted;
	bool has_failed; /* a part of it */
	uint32_t sectors; /* that are not done */
	uint32_t bytes;
	uint32_t row;
	int32_t pid; /* whose event told that the device got it */
	bool by_interrupt; /* that one was interrupted by who did it */
	uint64_t issued_at;
};

/* Zero-initialised is empty. */
struct io_table {
	struct io_request *slots; /* 1 << bits */
	unsigned bits;
	size_t n;
};

/* NULL: there is none. */
struct io_request *io_table_find(const struct io_table *table, const struct io_key *key);
/* The same, but makes one; NULL: no memory. Places in the table are valid until the next one. */
struct io_request *io_table_make(struct io_table *table, const struct io_key *key);
/* Takes one out; all places in the table may be others then. */
void io_table_remove(struct io_table *table, struct io_request *request);
/* Takes all out. */
void io_table_clear(struct io_table *table);
void io_table_done(struct io_table *table);

#endif

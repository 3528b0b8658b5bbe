/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pending block requests: a hash table by device, operation and sector. Completed requests are
 * removed, so its size is bounded by the number of pending ones. Adding or removing a request
 * invalidates pointers to all others. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_DEVICES_IO_TABLE_H
#define FATHOM_ANALYZE_DEVICES_IO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io_key {
	uint64_t sector;
	uint32_t device;
	char operation; /* as in struct decoded_event */
	bool is_empty; /* has no sectors */
};

/* What is known about a key, usually about a single request. */
struct io_request {
	struct io_key key;
	bool used;

	bool is_queued; /* since @queued_since */
	bool is_queued_twice; /* with an unknown order of issue */
	bool is_requeued; /* returned by the device; may be reported as queued again */
	bool is_queued_wanted;
	uint64_t queued_since;

	uint32_t issued; /* number of requests that the device has */
	bool is_ambiguous; /* there was more than one at the device */
	bool is_unwanted;
	bool has_failed; /* in part */
	uint32_t sectors; /* not completed yet */
	uint32_t bytes;
	uint32_t row;
	int32_t pid; /* current task of the issue event */
	bool by_interrupt; /* an interrupt handler issued it, on top of that task */
	uint64_t issued_at;
};

/* Empty when zero-initialized. */
struct io_table {
	struct io_request *slots; /* 1 << @bits slots */
	unsigned bits;
	size_t n;
};

/* Returns the request, or NULL if there is none. */
struct io_request *io_table_find(const struct io_table *table, const struct io_key *key);
/* The same, but adds the request if necessary. Returns NULL if memory is exhausted. */
struct io_request *io_table_make(struct io_table *table, const struct io_key *key);
/* Removes a request. */
void io_table_remove(struct io_table *table, struct io_request *request);
/* Removes all requests. */
void io_table_clear(struct io_table *table);
void io_table_done(struct io_table *table);

#endif

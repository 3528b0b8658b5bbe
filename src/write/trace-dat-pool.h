/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compresses in threads. Jobs are filled and submitted one after the other, and completed in that
 * order. All functions must be called by the same thread. Without worker threads, a job is done
 * when it is submitted. Jobs and their buffers belong to the pool.
 */
#ifndef FATHOM_WRITE_TRACE_DAT_POOL_H
#define FATHOM_WRITE_TRACE_DAT_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/compress/inflate.h"

/* Compressed to a sequence of chunks: two sizes, compressed and uncompressed, and the bytes. */
struct dat_job {
	uint8_t *in;
	size_t in_room, in_size;
	size_t chunk; /* uncompressed bytes of each but the last one */
	bool big_endian; /* byte order of the sizes */
	uint8_t *out;
	size_t out_room, out_size;
	uint32_t n_chunks; /* written to @out */
	int r; /* 0 or -ENOMEM */
	bool done;
};

struct dat_pool;

/*
 * @threads 0: none. Returns 0 or -ENOMEM. If some threads cannot be started, the others do the
 * work.
 */
int dat_pool_new(unsigned threads, struct dat_pool **ret_pool);
void dat_pool_free(struct dat_pool *pool);
/*
 * Sets the compression of later jobs; no job may be in progress. Returns 0, -ENOMEM, or -ENOTSUP if
 * @compression is none or unknown.
 */
int dat_pool_set(struct dat_pool *pool, enum compression compression, int level);

/* Returns whether a job must be taken back before another one can be submitted. */
bool dat_pool_is_full(const struct dat_pool *pool);
/*
 * Returns the job to fill and submit next, with room for @in_room bytes in chunks of @chunk;
 * initially empty. Returns NULL if memory is exhausted.
 */
struct dat_job *dat_pool_job(struct dat_pool *pool, size_t in_room, size_t chunk, bool big_endian);
void dat_pool_hand_in(struct dat_pool *pool);
/* Returns the oldest job submitted, after waiting for it, or NULL if there is none. */
struct dat_job *dat_pool_oldest(struct dat_pool *pool);
void dat_pool_take_back(struct dat_pool *pool);
/* Discards all jobs, including the one being filled. */
void dat_pool_reset(struct dat_pool *pool);

/*
 * Compresses one block in the calling thread, preceded by its two sizes. The caller frees
 * *@ret_out. Returns 0 or -ENOMEM.
 */
int dat_pool_block(struct dat_pool *pool, const void *in, size_t size, bool big_endian,
		   uint8_t **ret_out, size_t *ret_size);

#endif

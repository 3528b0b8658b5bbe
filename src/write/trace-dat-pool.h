/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compressing in threads: jobs are filled and handed in one after the other and come back
 * in that order. Only one thread may hand in and take back. Without threads a job is done
 * as it is handed in.
 */
#ifndef FATHOM_WRITE_TRACE_DAT_POOL_H
#define FATHOM_WRITE_TRACE_DAT_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/compress/inflate.h"

/* What becomes a row of chunks: each the two sizes, compressed and not, and the bytes. */
struct dat_job {
	uint8_t *in;
	size_t in_room, in_size;
	size_t chunk; /* bytes of each but the last one */
	bool big_endian; /* of the sizes */
	uint8_t *out;
	size_t out_room, out_size;
	uint32_t n_chunks; /* made */
	int r; /* 0 or -ENOMEM */
	bool done;
};

struct dat_pool;

/* @threads 0: none. 0 or a negative errno. */
int dat_pool_new(unsigned threads, struct dat_pool **ret_pool);
void dat_pool_free(struct dat_pool *pool);
/* How to compress from now on; no job may be on its way. -ENOTSUP for what is not known. */
int dat_pool_set(struct dat_pool *pool, enum compression compression, int level);

/* May no job be handed in before one is taken back? */
bool dat_pool_is_full(const struct dat_pool *pool);
/*
 * The job to be filled and handed in next, which has room for @in_room bytes in chunks of @chunk,
 * and is empty when this is the first call for it. NULL without memory.
 */
struct dat_job *dat_pool_job(struct dat_pool *pool, size_t in_room, size_t chunk, bool big_endian);
void dat_pool_hand_in(struct dat_pool *pool);
/* The job that was handed in first, when it is done; NULL when there is none. */
struct dat_job *dat_pool_oldest(struct dat_pool *pool);
void dat_pool_take_back(struct dat_pool *pool);
/* Forgets all jobs, also the one that is being filled. */
void dat_pool_reset(struct dat_pool *pool);

/* Compresses one block at once, as the two sizes and the bytes, by the caller itself. */
int dat_pool_block(struct dat_pool *pool, const void *in, size_t size, bool big_endian,
		   uint8_t **ret_out, size_t *ret_size);

#endif

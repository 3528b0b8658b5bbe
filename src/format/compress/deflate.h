/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compresses sections and CPU data: one block in, one block out, in the formats that inflate.h and
 * trace-cmd decompress. A deflater must not be used by two threads at a time.
 */
#ifndef FATHOM_FORMAT_COMPRESS_DEFLATE_H
#define FATHOM_FORMAT_COMPRESS_DEFLATE_H

#include <stddef.h>

#include "format/compress/inflate.h"

/* The highest level of each compression; higher is smaller and slower. */
#define DEFLATE_ZLIB_LEVEL_MAX 9
#define DEFLATE_ZSTD_LEVEL_MAX 19

/* The state of a compressor, reused for each block. */
struct deflater {
	enum compression compression;
	void *state;
};

/* @level 0 is the default. Returns 0, -ENOTSUP if @compression is none or unknown, or -ENOMEM. */
int deflater_init(struct deflater *deflater, enum compression compression, int level);
void deflater_done(struct deflater *deflater);
/*
 * Compresses @in into @out, which must have room for deflate_bound() bytes. Returns 0, or -ENOMEM
 * also if the room is too small.
 */
int deflater_run(struct deflater *deflater, const void *in, size_t in_size, void *out,
		 size_t out_room, size_t *ret_size);

/* Returns the maximum compressed size of a block of @size bytes. */
size_t deflate_bound(enum compression compression, size_t size);
/*
 * The name and the library version that the head of a file contains, such as "zstd" and "1.5.4";
 * "none" and "" without compression. Static strings.
 */
const char *compression_name(enum compression compression);
const char *compression_version(enum compression compression);

#endif

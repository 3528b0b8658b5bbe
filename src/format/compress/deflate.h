/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compression of sections and of CPU data: one block of bytes in, one block out,
 * which inflate.h undoes and trace-cmd too. No thread may use another's deflater.
 */
#ifndef FATHOM_FORMAT_COMPRESS_DEFLATE_H
#define FATHOM_FORMAT_COMPRESS_DEFLATE_H

#include <stddef.h>

#include "format/compress/inflate.h"

/* Levels that each compression knows; higher is smaller and slower. */
#define DEFLATE_ZLIB_LEVEL_MAX 9
#define DEFLATE_ZSTD_LEVEL_MAX 19

/* Keeps what a compressor needs between blocks. */
struct deflater {
	enum compression compression;
	void *state;
};

/* @level 0 is the usual one. -ENOTSUP for a compression that is none or unknown, -ENOMEM. */
int deflater_init(struct deflater *deflater, enum compression compression, int level);
void deflater_done(struct deflater *deflater);
/* Compresses @in into @out, which has deflate_bound() bytes of room. 0 or -ENOMEM. */
int deflater_run(struct deflater *deflater, const void *in, size_t in_size, void *out,
		 size_t out_room, size_t *ret_size);

/* How long a block of @size bytes can become. */
size_t deflate_bound(enum compression compression, size_t size);
/* What the head of a file says: "zstd" and the library's version; "none" and "". */
const char *compression_name(enum compression compression);
const char *compression_version(enum compression compression);

#endif

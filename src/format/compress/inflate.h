/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Undoing the compression of sections and of CPU data: one block of bytes in,
 * one block of known size out. The sizes come from the file and are checked here.
 */
#ifndef FATHOM_FORMAT_COMPRESS_INFLATE_H
#define FATHOM_FORMAT_COMPRESS_INFLATE_H

#include <stddef.h>
#include <stdint.h>

/* What a chunk of CPU data may hold; trace-cmd makes ten pages, fathom 1 MiB. */
#define INFLATE_CHUNK_MAX ((size_t)4 << 20)
/* What a section may hold; the kallsyms of 500,000 symbols are 30 MB. */
#define INFLATE_SECTION_MAX ((size_t)256 << 20)

enum compression {
	COMPRESSION_NONE,
	COMPRESSION_ZLIB,
	COMPRESSION_ZSTD,
	COMPRESSION_UNKNOWN,
};

/* By the name in the file's header. */
enum compression compression_by_name(const char *name);

/* Keeps what a decompressor needs between blocks. Zero-initialised is ready. */
struct inflater {
	void *zstd;
};

/*
 * Fills all of @out from @in. 0, -EBADMSG when @in is not what makes @out_size bytes, -ENOTSUP for
 * an unknown compression, -ENOMEM.
 */
int inflater_run(struct inflater *inflater, enum compression compression, const void *in,
		 size_t in_size, void *out, size_t out_size);
void inflater_done(struct inflater *inflater);

#endif

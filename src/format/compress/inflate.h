/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decompresses sections and CPU data: one block in, one block of known size out. Input and sizes
 * come from the file and are untrusted. An inflater must not be used by two threads at a time.
 */
#ifndef FATHOM_FORMAT_COMPRESS_INFLATE_H
#define FATHOM_FORMAT_COMPRESS_INFLATE_H

#include <stddef.h>

/*
 * Maximum uncompressed size of a chunk of CPU data, in bytes. trace-cmd writes ten pages, fathom 1
 * MiB.
 */
#define INFLATE_CHUNK_MAX ((size_t)4 << 20)
/* Maximum uncompressed size of a section, in bytes. The kallsyms of 500,000 symbols take 30 MB. */
#define INFLATE_SECTION_MAX ((size_t)256 << 20)

enum compression {
	COMPRESSION_NONE,
	COMPRESSION_ZLIB,
	COMPRESSION_ZSTD,
	COMPRESSION_UNKNOWN,
};

/* Returns the compression of this name in a file's header, or COMPRESSION_UNKNOWN. */
enum compression compression_by_name(const char *name);

/* The state of a decompressor, reused for each block. Zero-initialized: ready. */
struct inflater {
	void *zstd;
};

/*
 * Fills all @out_size bytes of @out from @in. Returns 0, -EBADMSG if @in does not decompress to
 * exactly @out_size bytes, -ENOTSUP for an unknown compression, or -ENOMEM. @out is undefined after
 * a failure.
 */
int inflater_run(struct inflater *inflater, enum compression compression, const void *in,
		 size_t in_size, void *out, size_t out_size);
void inflater_done(struct inflater *inflater);

#endif

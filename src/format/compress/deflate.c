/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/compress/deflate.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include <zlib.h>
#include <zstd.h>

#include "base/cleanup.h"
#include "base/mem.h"

/*
 * zstd's default, which trace-cmd uses. trace-cmd uses the highest level of zlib, which is three
 * times slower than this one and saves less than one percent.
 */
#define ZSTD_LEVEL 3
#define ZLIB_LEVEL 6

static const char *const names[] = {
	[COMPRESSION_NONE] = "none",
	[COMPRESSION_ZLIB] = "zlib",
	[COMPRESSION_ZSTD] = "zstd",
};

const char *compression_name(enum compression compression)
{
	return compression < ARRAY_SIZE(names) ? names[compression] : "unknown";
}

const char *compression_version(enum compression compression)
{
	switch (compression) {
	case COMPRESSION_ZLIB:
		return zlibVersion();
	case COMPRESSION_ZSTD:
		return ZSTD_versionString();
	default:
		return "";
	}
}

size_t deflate_bound(enum compression compression, size_t size)
{
	switch (compression) {
	case COMPRESSION_ZLIB:
		return compressBound(size);
	case COMPRESSION_ZSTD:
		return ZSTD_compressBound(size);
	default:
		return size;
	}
}

static int init_zlib(struct deflater *deflater, int level)
{
	z_stream *stream = mem_zalloc(1, sizeof(*stream));

	if (!stream)
		return -ENOMEM;
	if (deflateInit(stream, level ?: ZLIB_LEVEL) != Z_OK) {
		free(stream);
		return -ENOMEM;
	}
	deflater->state = stream;
	return 0;
}

static int init_zstd(struct deflater *deflater, int level)
{
	/* zstd allocates by itself; let tests fail the allocation here. */
	ZSTD_CCtx *context = mem_fault && mem_fault() ? NULL : ZSTD_createCCtx();

	if (!context)
		return -ENOMEM;
	/* The file already contains the size; trace-cmd also omits it from frames. */
	ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level ?: ZSTD_LEVEL);
	deflater->state = context;
	return 0;
}

int deflater_init(struct deflater *deflater, enum compression compression, int level)
{
	*deflater = (struct deflater){ .compression = compression };
	switch (compression) {
	case COMPRESSION_ZLIB:
		return init_zlib(deflater, level);
	case COMPRESSION_ZSTD:
		return init_zstd(deflater, level);
	default:
		return -ENOTSUP;
	}
}

void deflater_done(struct deflater *deflater)
{
	if (!deflater->state)
		return;
	if (deflater->compression == COMPRESSION_ZSTD) {
		ZSTD_freeCCtx(deflater->state);
	} else {
		deflateEnd(deflater->state);
		free(deflater->state);
	}
	deflater->state = NULL;
}

static int deflate_run_zlib(z_stream *stream, const void *in, size_t in_size, void *out,
			    size_t out_room, size_t *ret_size)
{
	if (in_size > UINT_MAX || out_room > UINT_MAX || deflateReset(stream) != Z_OK)
		return -ENOMEM;
	stream->next_in = (Bytef *)(uintptr_t)in;
	stream->avail_in = (uInt)in_size;
	stream->next_out = out;
	stream->avail_out = (uInt)out_room;
	if (deflate(stream, Z_FINISH) != Z_STREAM_END)
		return -ENOMEM;
	*ret_size = out_room - stream->avail_out;
	return 0;
}

int deflater_run(struct deflater *deflater, const void *in, size_t in_size, void *out,
		 size_t out_room, size_t *ret_size)
{
	size_t n;

	if (deflater->compression == COMPRESSION_ZLIB)
		return deflate_run_zlib(deflater->state, in, in_size, out, out_room, ret_size);
	n = ZSTD_compress2(deflater->state, out, out_room, in, in_size);
	/* With enough room, this is the only possible error. */
	if (ZSTD_isError(n))
		return -ENOMEM;
	*ret_size = n;
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/compress/inflate.h"

#include <errno.h>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/mem.h"
#include "base/str.h"

enum compression compression_by_name(const char *name)
{
	if (str_eq(name, "none"))
		return COMPRESSION_NONE;
	if (str_eq(name, "zlib"))
		return COMPRESSION_ZLIB;
	if (str_eq(name, "zstd"))
		return COMPRESSION_ZSTD;
	return COMPRESSION_UNKNOWN;
}

static int inflate_run_zlib(const void *in, size_t in_size, void *out, size_t out_size)
{
	uLongf got = out_size;
	int r = uncompress(out, &got, in, in_size);

	if (r == Z_MEM_ERROR)
		return -ENOMEM;
	return r == Z_OK && got == out_size ? 0 : -EBADMSG;
}

static int run_zstd(struct inflater *inflater, const void *in, size_t in_size, void *out,
		    size_t out_size)
{
	size_t got;

	/* zstd allocates by itself; let tests fail the allocation here. */
	if (!inflater->zstd && !(mem_fault && mem_fault()))
		inflater->zstd = ZSTD_createDCtx();
	if (!inflater->zstd)
		return -ENOMEM;
	got = ZSTD_decompressDCtx(inflater->zstd, out, out_size, in, in_size);
	if (ZSTD_isError(got))
		return ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation ? -ENOMEM : -EBADMSG;
	return got == out_size ? 0 : -EBADMSG;
}

int inflater_run(struct inflater *inflater, enum compression compression, const void *in,
		 size_t in_size, void *out, size_t out_size)
{
	if (!out_size)
		return 0;
	switch (compression) {
	case COMPRESSION_ZLIB:
		return inflate_run_zlib(in, in_size, out, out_size);
	case COMPRESSION_ZSTD:
		return run_zstd(inflater, in, in_size, out, out_size);
	default:
		return -ENOTSUP;
	}
}

void inflater_done(struct inflater *inflater)
{
	ZSTD_freeDCtx(inflater->zstd);
	inflater->zstd = NULL;
}

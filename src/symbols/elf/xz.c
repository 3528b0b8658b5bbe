/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/elf/xz.h"

#include <errno.h>

#ifdef HAVE_LZMA
#include <lzma.h>
#include <stdlib.h>

#include "base/mem.h"

/* Memory limit of the decoder in bytes; the largest preset needs 65 MB. */
#define DECODER_MAX ((uint64_t)80 << 20)
#define STEP	    ((size_t)64 << 10)

static void *xz_alloc(void *opaque, size_t n, size_t size)
{
	return n && size > SIZE_MAX / n ? NULL : mem_alloc(n * size);
}

static void xz_free(void *opaque, void *p)
{
	free(p);
}

static int xz_errno(lzma_ret ret)
{
	return ret == LZMA_MEM_ERROR ? -ENOMEM : ret == LZMA_MEMLIMIT_ERROR ? -EFBIG : -EBADMSG;
}

static int elf_xz_unpack(lzma_stream *stream, struct strbuf *out)
{
	lzma_ret ret = LZMA_OK;

	while (ret == LZMA_OK) {
		char *room = strbuf_room(out, STEP);

		if (!room)
			return -ENOMEM;
		stream->next_out = (uint8_t *)room;
		stream->avail_out = STEP;
		ret = lzma_code(stream, LZMA_FINISH);
		out->len += STEP - stream->avail_out;
		out->s[out->len] = '\0';
		if (out->len > XZ_UNPACKED_MAX)
			return -EFBIG;
	}
	return ret == LZMA_STREAM_END ? 0 : xz_errno(ret);
}

int xz_unpack(const void *bytes, size_t size, struct strbuf *out)
{
	static const lzma_allocator allocator = { .alloc = xz_alloc, .free = xz_free };
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret ret;
	int r;

	stream.allocator = &allocator;
	ret = lzma_stream_decoder(&stream, DECODER_MAX, 0);
	if (ret != LZMA_OK)
		return xz_errno(ret);
	stream.next_in = bytes;
	stream.avail_in = size;
	r = elf_xz_unpack(&stream, out);
	lzma_end(&stream);
	return r;
}
#else
int xz_unpack(const void *bytes, size_t size, struct strbuf *out)
{
	return -ENOTSUP;
}
#endif

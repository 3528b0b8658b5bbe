/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/compress/gzip.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include <zlib.h>

#include "base/mem.h"

/* The largest window, with a gzip header and trailer instead of zlib's. */
#define WINDOW_BITS (15 + 16)
#define MEMORY	    8

int gzip_init(struct gzip *gzip, gzip_taker *take, void *data)
{
	z_stream *stream = mem_zalloc(1, sizeof(*stream));

	if (!stream)
		return -ENOMEM;
	if (deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK) {
		free(stream);
		return -ENOMEM;
	}
	*gzip = (struct gzip){ .state = stream, .take = take, .data = data };
	return 0;
}

void gzip_done(struct gzip *gzip)
{
	if (!gzip->state)
		return;
	deflateEnd(gzip->state);
	free(gzip->state);
	gzip->state = NULL;
}

/* deflate() cannot fail as long as it gets an output buffer. */
static void gzip_run(struct gzip *gzip, int flush)
{
	z_stream *stream = gzip->state;
	unsigned char piece[GZIP_PIECE_MAX];

	do {
		stream->next_out = piece;
		stream->avail_out = sizeof(piece);
		deflate(stream, flush);
		if (stream->avail_out < sizeof(piece))
			gzip->take(gzip->data, piece, sizeof(piece) - stream->avail_out);
	} while (stream->avail_out == 0);
}

void gzip_add(struct gzip *gzip, const void *bytes, size_t len)
{
	z_stream *stream = gzip->state;
	const unsigned char *p = bytes;

	while (len) {
		size_t n = len < UINT_MAX ? len : UINT_MAX;

		stream->next_in = (Bytef *)(uintptr_t)p;
		stream->avail_in = (uInt)n;
		gzip_run(gzip, Z_NO_FLUSH);
		p += n;
		len -= n;
	}
}

void gzip_end(struct gzip *gzip)
{
	gzip_run(gzip, Z_FINISH);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes as a gzip file, written as they come; the same bytes always give the same file. */
#ifndef FATHOM_FORMAT_COMPRESS_GZIP_H
#define FATHOM_FORMAT_COMPRESS_GZIP_H

#include <stdbool.h>
#include <stddef.h>

/* Is handed what was compressed, at most GZIP_PIECE_MAX bytes at a time. */
typedef void gzip_taker(void *data, const void *bytes, size_t len);
#define GZIP_PIECE_MAX 16384

struct gzip {
	void *state;
	gzip_taker *take;
	void *data;
};

/* 0 or -ENOMEM; then gzip_done() is due. */
int gzip_init(struct gzip *gzip, gzip_taker *take, void *data);
void gzip_done(struct gzip *gzip);
void gzip_add(struct gzip *gzip, const void *bytes, size_t len);
/* Nothing comes any more. */
void gzip_end(struct gzip *gzip);

#endif

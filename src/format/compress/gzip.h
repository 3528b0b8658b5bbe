/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a gzip file incrementally: compressed bytes are passed to a function of the caller as they
 * are produced, with buffering inside. The same input always yields the same file. Only gzip_init()
 * can fail; errors of the output are up to the caller's function.
 */
#ifndef FATHOM_FORMAT_COMPRESS_GZIP_H
#define FATHOM_FORMAT_COMPRESS_GZIP_H

#include <stddef.h>

/* Receives compressed bytes, at most GZIP_PIECE_MAX at a time. */
typedef void gzip_taker(void *data, const void *bytes, size_t len);
#define GZIP_PIECE_MAX 16384

struct gzip {
	void *state;
	gzip_taker *take;
	void *data;
};

/* Returns 0 or -ENOMEM. After 0, gzip_done() releases the memory. */
int gzip_init(struct gzip *gzip, gzip_taker *take, void *data);
void gzip_done(struct gzip *gzip);
void gzip_add(struct gzip *gzip, const void *bytes, size_t len);
/* Writes the rest of the file. Nothing can be added afterwards. */
void gzip_end(struct gzip *gzip);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many byte streams that are written interleaved and read back one by one, kept in one unnamed
 * file. Memory is bounded by a few buffers and a few words per stream, regardless of the length of
 * the streams. Data that is still buffered can be read.
 *
 * A stream is a chain of blocks in the file; each block has the number of the next one and of the
 * bytes in use. Not thread-safe.
 */
#ifndef FATHOM_BASE_FILES_SPOOL_H
#define FATHOM_BASE_FILES_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

struct spool_stream;
struct spool_buffer;

struct spool {
	int fd;
	struct spool_stream *streams;
	size_t n, cap;
	struct spool_buffer *buffers; /* taken in turns if all are in use */
	size_t n_buffers, cap_buffers, hand;
	size_t max_buffers; /* of SPOOL_BLOCK bytes; may be changed before the first stream */
	uint64_t blocks; /* blocks in use */
	int err; /* 0 or the first negative errno; data is discarded after it */
};

#define SPOOL_BLOCK 4096

/* The initial value of a spool. */
#define SPOOL_NONE       \
	{                \
		.fd = -1 \
	}

/* Creates the file in $TMPDIR or /var/tmp. Returns 0 or a negative errno. */
int spool_open(struct spool *spool, struct fathom_err *err);
void spool_done(struct spool *spool);

/* Adds a stream and returns its number, counted from 0, or UINT32_MAX if memory is exhausted. */
uint32_t spool_add(struct spool *spool);
/* Appends to a stream. Errors are kept in spool->err. */
void spool_write(struct spool *spool, uint32_t stream, const void *bytes, size_t len);

/* The read position of a stream; starts as { .stream = N }. */
struct spool_reader {
	uint32_t stream;
	bool started;
	uint64_t next; /* block, + 1; 0: none */
	size_t at, len;
	uint8_t bytes[SPOOL_BLOCK];
};

/*
 * Reads the next @len bytes of the stream, which must not be written to between reads. Returns
 * false at its end and on failure; then spool->err is set.
 */
bool spool_read(struct spool *spool, struct spool_reader *reader, void *bytes, size_t len);

#endif

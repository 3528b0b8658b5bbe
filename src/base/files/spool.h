/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Many streams of bytes that are written by turns and read one after the other, all of each at
 * once. They are kept in one file without a name, so that memory is that of a few buffers and a
 * few words per stream, however long they get. What was not written yet can be read as well.
 *
 * A stream is a chain of blocks of the file; each tells where the next one is and how many of
 * its bytes are in use.
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
	struct spool_buffer *buffers; /* taken by turns when all are in use */
	size_t n_buffers, cap_buffers, hand;
	size_t max_buffers; /* of SPOOL_BLOCK bytes; may be changed while there are none */
	uint64_t blocks; /* that are taken */
	int err; /* 0 or the first negative errno; nothing is kept after it */
};

#define SPOOL_BLOCK 4096

/* What a spool is before it is opened. */
#define SPOOL_NONE       \
	{                \
		.fd = -1 \
	}

/* Makes the file, where $TMPDIR says or in /var/tmp. 0 or a negative errno. */
int spool_open(struct spool *spool, struct fathom_err *err);
void spool_done(struct spool *spool);

/* A new stream; UINT32_MAX without memory. Streams are numbered from 0. */
uint32_t spool_add(struct spool *spool);
/* Appends to a stream. */
void spool_write(struct spool *spool, uint32_t stream, const void *bytes, size_t len);

/* Where a stream is read; starts as { .stream = N }. */
struct spool_reader {
	uint32_t stream;
	bool started;
	uint64_t next; /* block, + 1; 0: there is none */
	size_t at, len;
	uint8_t bytes[SPOOL_BLOCK];
};

/*
 * Reads the next @len bytes of the stream; nothing may be written to the spool meanwhile. False
 * at its end, and after failures, which spool->err has.
 */
bool spool_read(struct spool *spool, struct spool_reader *reader, void *bytes, size_t len);

#endif

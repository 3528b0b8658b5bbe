/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/files/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/files/unnamed-file.h"
#include "base/negative-errno.h"

#define BUFFERS_MAX 4096

/* Header of a block. */
struct head {
	uint64_t next; /* number of the next block, + 1; 0: this is the last one */
	uint32_t used; /* bytes, including the header */
	uint32_t unused;
};

struct spool_stream {
	uint64_t first; /* block, + 1; 0: none */
	uint64_t place; /* where its buffer will be written, + 1 */
	uint32_t buffer; /* + 1; 0: none */
};

struct spool_buffer {
	uint32_t stream;
	size_t used; /* of @bytes, including the header */
	uint8_t *bytes; /* SPOOL_BLOCK */
};

int spool_open(struct spool *spool, struct fathom_err *err)
{
	int fd = unnamed_file_open(err);

	if (fd < 0)
		return fd;
	*spool = (struct spool){ .fd = fd, .max_buffers = BUFFERS_MAX };
	return 0;
}

void spool_done(struct spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	for (size_t i = 0; i < spool->n_buffers; i++)
		free(spool->buffers[i].bytes);
	free(spool->buffers);
	free(spool->streams);
	*spool = (struct spool)SPOOL_NONE;
}

uint32_t spool_add(struct spool *spool)
{
	if (spool->n >= UINT32_MAX ||
	    mem_reserve(&spool->streams, &spool->cap, spool->n + 1, sizeof(*spool->streams)) < 0) {
		spool->err = spool->err ?: -ENOMEM;
		return UINT32_MAX;
	}
	spool->streams[spool->n] = (struct spool_stream){ 0 };
	return (uint32_t)spool->n++;
}

static int write_block(struct spool *spool, uint64_t block, const uint8_t *bytes, size_t len)
{
	off_t at = (off_t)(block * SPOOL_BLOCK);

	while (len) {
		ssize_t n = pwrite(spool->fd, bytes, len, at);

		if (n < 0 && errno != EINTR)
			return negative_errno();
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
			at += n;
		}
	}
	return 0;
}

/* Writes a buffer to its block; the stream continues in the next free block. */
static void spool_empty(struct spool *spool, struct spool_buffer *buffer)
{
	struct spool_stream *stream = &spool->streams[buffer->stream];
	struct head head = { .next = ++spool->blocks, .used = (uint32_t)buffer->used };
	int r;

	memcpy(buffer->bytes, &head, sizeof(head));
	r = write_block(spool, stream->place - 1, buffer->bytes, buffer->used);
	if (r < 0)
		spool->err = r;
	stream->place = head.next;
	buffer->used = sizeof(head);
}

static uint32_t new_buffer(struct spool *spool)
{
	uint8_t *bytes;

	if (mem_reserve(&spool->buffers, &spool->cap_buffers, spool->n_buffers + 1,
			sizeof(*spool->buffers)) < 0)
		return UINT32_MAX;
	bytes = mem_alloc(SPOOL_BLOCK);
	if (!bytes)
		return UINT32_MAX;
	spool->buffers[spool->n_buffers] = (struct spool_buffer){ .bytes = bytes };
	return (uint32_t)spool->n_buffers++;
}

/* Returns the buffer of a stream. If all are in use, takes that of another stream. */
static struct spool_buffer *get_buffer(struct spool *spool, uint32_t number)
{
	struct spool_stream *stream = &spool->streams[number];
	struct spool_buffer *buffer;
	uint32_t i;

	if (stream->buffer)
		return &spool->buffers[stream->buffer - 1];
	if (spool->n_buffers < spool->max_buffers) {
		i = new_buffer(spool);
		if (i == UINT32_MAX) {
			spool->err = -ENOMEM;
			return NULL;
		}
	} else {
		i = (uint32_t)(spool->hand++ % spool->max_buffers);
		spool_empty(spool, &spool->buffers[i]);
		spool->streams[spool->buffers[i].stream].buffer = 0;
	}
	buffer = &spool->buffers[i];
	buffer->stream = number;
	buffer->used = sizeof(struct head);
	stream->buffer = i + 1;
	if (!stream->first)
		stream->first = stream->place = ++spool->blocks;
	return buffer;
}

void spool_write(struct spool *spool, uint32_t stream, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len && !spool->err && stream < spool->n) {
		struct spool_buffer *buffer = get_buffer(spool, stream);
		size_t n;

		if (!buffer)
			return;
		n = SPOOL_BLOCK - buffer->used < len ? SPOOL_BLOCK - buffer->used : len;
		memcpy(buffer->bytes + buffer->used, p, n);
		buffer->used += n;
		p += n;
		len -= n;
		if (buffer->used == SPOOL_BLOCK)
			spool_empty(spool, buffer);
	}
}

static bool spool_read_block(struct spool *spool, struct spool_reader *reader, uint64_t block)
{
	size_t len = 0;
	struct head head;

	while (len < SPOOL_BLOCK) {
		ssize_t n = pread(spool->fd, reader->bytes + len, SPOOL_BLOCK - len,
				  (off_t)(block * SPOOL_BLOCK + len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			spool->err = negative_errno();
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	if (len < sizeof(head)) {
		spool->err = spool->err ?: -EIO;
		return false;
	}
	memcpy(&head, reader->bytes, sizeof(head));
	reader->next = head.next;
	reader->at = sizeof(head);
	reader->len = head.used;
	return true;
}

/* Moves to the next block: one of the file, or the buffer, which is the last. */
static bool next_block(struct spool *spool, struct spool_reader *reader)
{
	const struct spool_stream *stream = &spool->streams[reader->stream];
	uint64_t block = reader->started ? reader->next : stream->first;
	const struct spool_buffer *buffer;

	reader->started = true;
	if (!block || spool->err)
		return false;
	if (block != stream->place)
		return spool_read_block(spool, reader, block - 1);
	reader->next = 0;
	reader->at = reader->len = 0;
	if (!stream->buffer)
		return false;
	buffer = &spool->buffers[stream->buffer - 1];
	memcpy(reader->bytes, buffer->bytes, buffer->used);
	reader->at = sizeof(struct head);
	reader->len = buffer->used;
	return true;
}

bool spool_read(struct spool *spool, struct spool_reader *reader, void *bytes, size_t len)
{
	uint8_t *p = bytes;

	if (reader->stream >= spool->n)
		return false;
	while (len) {
		size_t n = reader->len - reader->at;

		if (!n) {
			if (!next_block(spool, reader))
				return false;
			continue;
		}
		if (n > len)
			n = len;
		memcpy(p, reader->bytes + reader->at, n);
		reader->at += n;
		p += n;
		len -= n;
	}
	return true;
}

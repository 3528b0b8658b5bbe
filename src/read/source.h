/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bytes of a file on disk. The whole file is mapped if possible, which costs address space but
 * no memory: pages are returned to the system after every SOURCE_RESIDENT_MAX bytes touched, so
 * that reading a file of any size takes little memory. Pointers into the mapping stay valid when
 * that happens. All functions but source_init() and source_done() are thread-safe.
 *
 * The kernel's readahead is disabled, since it can be megabytes for each of a thousand positions;
 * source_touch() requests what is needed instead.
 *
 * If a mapped file is truncated while it is read, the reader is killed by SIGBUS. Open files that
 * may change with SOURCE_NO_MAP.
 */
#ifndef FATHOM_READ_SOURCE_H
#define FATHOM_READ_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "format/event/view.h"

#define SOURCE_RESIDENT_MAX ((uint64_t)40 << 20)
/* Bytes that the kernel maps for one access: its fault-around. */
#define SOURCE_TOUCH_SIZE ((uint64_t)64 << 10)
/* Bytes that a random access may map if the page cache uses large folios. */
#define SOURCE_LARGE_SIZE ((uint64_t)2 << 20)
/* Bytes to read ahead for sequential access. */
#define SOURCE_AHEAD ((uint64_t)512 << 10)

enum {
	SOURCE_NO_MAP = 1,
	SOURCE_KEEP_FD = 2, /* the descriptor stays the caller's */
};

struct source {
	int fd;
	uint64_t size;
	const uint8_t *map; /* NULL: not mapped */
	bool has_holes; /* parts of the file were never written */
	bool keep_fd; /* don't close the descriptor */
	_Atomic uint64_t touched; /* bytes touched since memory was last released */
};

/*
 * Takes ownership of @fd, even on failure, unless SOURCE_KEEP_FD is given. Returns 0 or a negative
 * errno: -EISDIR or -ESPIPE if it is not a regular file.
 */
int source_init(struct source *source, int fd, unsigned flags, struct fathom_err *err);
void source_done(struct source *source);

/*
 * Copies up to @size bytes at @offset. Returns the number of bytes, less only at the end of the
 * file, or a negative errno.
 */
long source_read(struct source *source, uint64_t offset, void *buf, size_t size);
/*
 * Returns the offset of the first written byte at @offset or later; the size of the file if none.
 */
uint64_t source_next_data(struct source *source, uint64_t offset);
/*
 * Returns the end of the written bytes before @offset, at most @offset; 0 if none at @low or later.
 */
uint64_t source_prev_data(struct source *source, uint64_t low, uint64_t offset);
/*
 * Must be called before accessing a range of SOURCE_TOUCH_SIZE bytes of the mapping that was not
 * touched before. With @more, the bytes after it are also requested.
 */
void source_touch(struct source *source, uint64_t offset, bool more);
/* Returns a view for parsers, valid as long as the source, which must not be moved. */
struct view source_view(struct source *source);

#endif

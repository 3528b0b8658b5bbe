/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The bytes of a file on disk. A file is mapped as a whole where that is possible,
 * which costs address space and no memory; what has been touched is given back to
 * the system every SOURCE_RESIDENT_MAX bytes, so that reading a file of any size
 * stays small. Pointers into the mapping stay valid when that happens. Everything
 * here may be called from several threads at once.
 *
 * The system's own reading ahead is off, since it is by megabytes where it is set
 * high, for each of a thousand places; what is about to be read is said instead.
 *
 * A mapped file that somebody cuts short while it is read kills the reader with
 * SIGBUS; who reads files that are not at rest opens them with SOURCE_NO_MAP.
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
/* A touch maps this much at once: the kernel's fault-around. */
#define SOURCE_TOUCH_SIZE ((uint64_t)64 << 10)
/* One somewhere else may map so much, where the page cache has large pages. */
#define SOURCE_LARGE_SIZE ((uint64_t)2 << 20)
/* What is read ahead for somebody who goes on from one touch to the next. */
#define SOURCE_AHEAD ((uint64_t)512 << 10)

enum {
	SOURCE_NO_MAP = 1,
	SOURCE_KEEP_FD = 2, /* it is the caller's, and stays open */
};

struct source {
	int fd;
	uint64_t size;
	const uint8_t *map; /* NULL: not mapped */
	bool has_holes; /* parts of it were never written */
	bool keep_fd; /* somebody else closes it */
	_Atomic uint64_t touched; /* since memory was last given back */
};

/* Takes @fd over, also when it fails, but for SOURCE_KEEP_FD. */
int source_init(struct source *source, int fd, unsigned flags, struct fathom_err *err);
void source_done(struct source *source);

/* Copies what is there of @size bytes from @offset: the number of bytes or a negative errno. */
long source_read(struct source *source, uint64_t offset, void *buf, size_t size);
/* Where from @offset on the file has bytes that were written; the file's size when none. */
uint64_t source_next_data(struct source *source, uint64_t offset);
/* Where the written bytes before @offset end, at most @offset; 0 when there are none from @low on. */
uint64_t source_prev_data(struct source *source, uint64_t low, uint64_t offset);
/*
 * Must be called for each SOURCE_TOUCH_SIZE of the map that is about to be touched anew, with its
 * offset. With @more the bytes behind it will be wanted too.
 */
void source_touch(struct source *source, uint64_t offset, bool more);
/* The view for the parsers; lives as long as the source. */
struct view source_view(struct source *source);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of a trace, each of them to be written as a file of its own: a window of time,
 * or one piece after the other, of so many events, pages or nanoseconds. An event is in exactly
 * one piece. Where a part begins, and where it ends, is known for each stream by itself, so
 * that events of one time may be on both sides.
 */
#ifndef FATHOM_WRITE_TRACE_SPLIT_H
#define FATHOM_WRITE_TRACE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>
#include <fathom/trace.h>

#include "write/trace-dat.h"

enum trace_split_unit {
	TRACE_SPLIT_ALL, /* one piece */
	TRACE_SPLIT_TIME, /* nanoseconds, or whatever the clock counts */
	TRACE_SPLIT_EVENTS,
	TRACE_SPLIT_PAGES, /* of each CPU */
};

/* A buffer that is wanted, and what it is to be called. */
struct trace_split_buffer {
	const char *name, *new_name; /* "" is the top one */
};

struct trace_split_options {
	uint64_t from, to; /* events of both times are wanted; UINT64_MAX: no end */
	enum trace_split_unit unit;
	uint64_t count; /* of these in a piece */
	bool per_cpu; /* each CPU has that many */
	bool has_cpu; /* only this one is wanted */
	uint32_t cpu;
	const struct trace_split_buffer *buffers; /* NULL: all, as they are called */
	size_t n_buffers;
};

struct trace_split;

/* @options and @trace must outlive it. A buffer that is not there is -ENOENT. */
int trace_split_new(struct fathom_trace *trace, const struct trace_split_options *options,
		    struct trace_split **ret_split, struct fathom_err *err);
void trace_split_free(struct trace_split *split);

/*
 * The next piece: the plan, which lives until the next call, says what is to be written. 1 when
 * it has events, else 0. A negative errno.
 */
int trace_split_next(struct trace_split *split, const struct trace_dat_plan **ret_plan,
		     struct fathom_err *err);
/* Are there events behind the pieces so far? */
bool trace_split_has_more(const struct trace_split *split);

/*
 * Where the next piece begins, a mark for each stream of the trace. Another process that has the
 * same trace open goes on from there with trace_split_resume(); false when they are not for it.
 */
const struct stream_mark *trace_split_place(const struct trace_split *split, size_t *ret_n);
bool trace_split_resume(struct trace_split *split, const struct stream_mark *marks, size_t n);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Splits a trace into parts, each to be written to a file of its own: a time range, or consecutive
 * pieces of a number of events, pages or nanoseconds. Each event is in exactly one piece.
 * Boundaries are determined per stream, so events with the same time can be on both sides of one.
 * Not thread-safe.
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
	TRACE_SPLIT_ALL, /* a single piece */
	TRACE_SPLIT_TIME, /* nanoseconds, or units of the clock */
	TRACE_SPLIT_EVENTS,
	TRACE_SPLIT_PAGES, /* of each CPU */
};

/* A buffer to be written, and its new name. */
struct trace_split_buffer {
	const char *name, *new_name; /* "": the top-level buffer */
};

struct trace_split_options {
	uint64_t from, to; /* inclusive; UINT64_MAX: no end */
	enum trace_split_unit unit;
	uint64_t count; /* of @unit, per piece */
	bool per_cpu; /* count per CPU */
	bool has_cpu; /* only @cpu */
	uint32_t cpu;
	const struct trace_split_buffer *buffers; /* NULL: all, with their names */
	size_t n_buffers;
};

struct trace_split;

/*
 * @options and @trace must outlive it. Returns 0 or a negative errno: -ENOENT if there is no such
 * buffer or CPU.
 */
int trace_split_new(struct fathom_trace *trace, const struct trace_split_options *options,
		    struct trace_split **ret_split, struct fathom_err *err);
void trace_split_free(struct trace_split *split);

/*
 * Finds the next piece. *@ret_plan belongs to @split and is valid until the next call. Returns 1 if
 * the piece has events, 0 if not, or a negative errno.
 */
int trace_split_next(struct trace_split *split, const struct trace_dat_plan **ret_plan,
		     struct fathom_err *err);
/* Returns whether any events follow the pieces so far. */
bool trace_split_has_more(const struct trace_split *split);

/*
 * Returns where the next piece begins: a mark for each stream of the trace, valid until the next
 * call of trace_split_next(). Another process that has opened the same trace can continue from
 * there with trace_split_resume(), which returns false if @n is not its number of streams.
 */
const struct stream_mark *trace_split_place(const struct trace_split *split, size_t *ret_n);
bool trace_split_resume(struct trace_split *split, const struct stream_mark *marks, size_t n);

#endif

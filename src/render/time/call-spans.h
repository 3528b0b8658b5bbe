/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The start and end of each call of a trace, in the order in which calls begin, for outputs that
 * need the end of a call at its start. Calls are added and completed in a first pass, and read in a
 * second pass, after rewinding. The latest calls are in memory, the others in an unnamed temporary
 * file. Not thread-safe.
 *
 * The first failure is kept in @err; afterwards all calls are hidden. Callers check it at the end,
 * with call_spans_failed().
 */
#ifndef FATHOM_RENDER_TIME_CALL_SPANS_H
#define FATHOM_RENDER_TIME_CALL_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

enum call_span_kind {
	CALL_SPAN_HIDDEN, /* its start was not recorded, or it belongs to another task */
	CALL_SPAN_WHOLE,
	CALL_SPAN_CUT, /* its end was not recorded: it was open at least until @end */
};

struct call_span {
	uint64_t start, end;
	uint64_t address; /* of the function */
	uint64_t kind; /* an enum call_span_kind */
};

struct call_spans {
	int fd;
	struct call_span *window; /* the latest calls, or those being read */
	uint64_t first; /* number of the first call in the window */
	uint64_t n; /* number of calls added or read */
	uint64_t end; /* total number of calls, while reading */
	size_t loaded; /* number of calls in the window, while reading */
	int err; /* 0 or the first negative errno */
};

/* The initial value, which call_spans_done() accepts. */
#define CALL_SPANS_NONE  \
	{                \
		.fd = -1 \
	}

/*
 * Sets the message for @code, the @err of a struct call_spans, and returns it; does nothing if it
 * is 0.
 */
int call_spans_failed(int code, struct fathom_err *err);
/* Creates the file. Returns 0 or a negative errno. Released with call_spans_done(). */
int call_spans_open(struct call_spans *spans, struct fathom_err *err);
void call_spans_done(struct call_spans *spans);

/* Adds a call that begins, hidden until it is set, and returns its number. */
uint64_t call_spans_add(struct call_spans *spans);
void call_spans_set(struct call_spans *spans, uint64_t number, const struct call_span *span);
/* Ends the first pass. */
void call_spans_rewind(struct call_spans *spans);
/* Returns the next call; hidden if there are no more. */
struct call_span call_spans_next(struct call_spans *spans);

#endif

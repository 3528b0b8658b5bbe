/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When each call of a trace began and ended, in the order in which calls begin, for outputs that
 * have to know the end of a call at its beginning. The last calls are in memory, the rest is in a
 * file without a name.
 */
#ifndef FATHOM_RENDER_TIME_CALL_SPANS_H
#define FATHOM_RENDER_TIME_CALL_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

enum call_span_kind {
	CALL_SPAN_HIDDEN, /* its beginning was not recorded, or it is the call of another task */
	CALL_SPAN_WHOLE,
	CALL_SPAN_CUT, /* its end was not recorded: it was open at least so long */
};

struct call_span {
	uint64_t start, end;
	uint64_t address; /* of the function */
	uint64_t kind; /* enum call_span_kind */
};

struct call_spans {
	int fd;
	struct call_span *window; /* of those that were added last, or are read now */
	uint64_t first; /* number of the first one in it */
	uint64_t n; /* that were added, or read */
	uint64_t end; /* how many there are, once they are read */
	size_t loaded; /* in the window, while they are read */
	int err; /* 0 or the first negative errno; what is read after it is hidden */
};

/* What it is before it is opened. */
#define CALL_SPANS_NONE  \
	{                \
		.fd = -1 \
	}

/* Says that calls could not be kept, for @code of a negative errno; 0 when it is 0. */
int call_spans_failed(int code, struct fathom_err *err);
/* Makes the file. 0 or a negative errno. */
int call_spans_open(struct call_spans *spans, struct fathom_err *err);
void call_spans_done(struct call_spans *spans);

/* The number of a call that begins; it is hidden until it is set. */
uint64_t call_spans_add(struct call_spans *spans);
void call_spans_set(struct call_spans *spans, uint64_t number, const struct call_span *span);
/* From now on they are read. */
void call_spans_rewind(struct call_spans *spans);
/* The next one; hidden behind the last. */
struct call_span call_spans_next(struct call_spans *spans);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Iterates over one or more traces in chronological order, and calls a writer for each event to be
 * shown. The caller fills a struct report_run and its inputs, which it owns; all other fields are
 * zero. Not thread-safe.
 */
#ifndef FATHOM_RENDER_REPORT_REPORT_RUN_H
#define FATHOM_RENDER_REPORT_REPORT_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include <fathom/cursor.h>
#include <fathom/err.h>

#include "read/lookahead.h"
#include "render/report/report.h"
#include "render/kit/sink.h"

/*
 * One trace. The caller fills the fields up to the blank line; the trace and the report must
 * outlive it.
 */
struct report_input {
	struct fathom_trace *trace;
	struct report *report;
	const char *label; /* prefix for lines of the top-level buffer; NULL: none */
	struct fathom_window window;
	/*
	 * Returns whether to show an event; NULL: show all. If @alone, events are not queried in
	 * order, so the result must not depend on earlier ones.
	 */
	bool (*wanted)(void *data, const struct fathom_event *event, bool alone);
	void *wanted_data;
	int64_t time_offset; /* in ns, added to all times */

	struct lookahead lookahead;
	struct fathom_event event; /* the next one */
	bool has_event;
	bool ready; /* @lookahead is initialized */
	unsigned call_ids[2]; /* events whose text depends on the next event */
	bool calls_known;
	char **prefixes; /* by index of the buffer; NULL: none */
	size_t n_prefixes;
	uint64_t lost; /* number of lost events, where it is known */
	uint64_t lost_unknown; /* number of gaps of unknown size */
};

/* Appends the line of an event to @text, after anything that must precede it. */
typedef void report_writer(void *data, struct report_input *input, struct fathom_event *event,
			   struct text *text);

enum report_select {
	REPORT_ALL,
	REPORT_FIRST, /* the first @count events */
	REPORT_LAST,
	REPORT_AROUND, /* @count events before and after the time @around */
};

struct report_run {
	struct report_input *inputs;
	size_t n_inputs;
	report_writer *writer;
	void *writer_data;
	enum report_select select;
	uint64_t count, around;
	bool check_time; /* count how often time goes backwards */
	uint64_t backwards; /* how often it did */

	uint64_t left; /* number of events still to be shown */
	uint64_t last_time;
	bool held; /* an event waits for the next one */
	uint8_t *copy; /* its bytes */
	size_t cap_copy;
};

/* Makes the prefixes of lines, if there are several buffers or inputs. Returns 0 or -ENOMEM. */
int report_run_label(struct report_run *run);
/*
 * The same as report_run(), in steps, for a trace to which events are added (read/live.h). Each
 * step writes what is available. It returns 1 if all requested events were shown, otherwise 0 or an
 * error. With @wait, an event whose text depends on the next one is held back until that arrives.
 */
int report_run_begin(struct report_run *run, struct fathom_err *err);
int report_run_step(struct report_run *run, struct sink *sink, bool wait, struct fathom_err *err);
/*
 * Writes all lines to @sink, which the caller flushes. Returns 0 or a negative errno: -ENOMEM also
 * if lines are wrong because memory was exhausted; the error of @sink, such as -EPIPE, without a
 * message in @err.
 */
int report_run(struct report_run *run, struct sink *sink, struct fathom_err *err);
/* Makes the next report_run() start with the first event again. */
void report_run_rewind(struct report_run *run);
/* Releases what this module has allocated. Inputs and reports remain the caller's. */
void report_run_done(struct report_run *run);

/* The default writer: report_line() with the prefix of the buffer. @data is unused. */
void report_write_text(void *data, struct report_input *input, struct fathom_event *event,
		       struct text *text);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Goes over one or more traces in the order of time and has a line written for each
 * event that is wanted.
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

/* One trace. The caller fills the first part. */
struct report_input {
	struct fathom_trace *trace;
	struct report *report;
	const char *label; /* before each line of the top buffer; NULL: none */
	struct fathom_window window;
	/*
	 * Is the event shown? NULL: all are. If it is asked @alone, the events before it
	 * were not asked for.
	 */
	bool (*wanted)(void *data, const struct fathom_event *event, bool alone);
	void *wanted_data;
	int64_t time_offset; /* added to all times */

	struct lookahead lookahead;
	struct fathom_event event; /* the next one */
	bool has_event;
	bool ready; /* the lookahead is */
	unsigned call_ids[2]; /* events whose text depends on the one behind them */
	bool calls_known;
	char **prefixes; /* by buffer; NULL: no line has one */
	size_t n_prefixes;
	uint64_t lost; /* events, as far as their number is known */
	uint64_t lost_unknown; /* times that it is not */
};

/* Writes the line of an event, and what belongs before it. */
typedef void report_writer(void *data, struct report_input *input, struct fathom_event *event,
			   struct text *text);

enum report_select {
	REPORT_ALL,
	REPORT_FIRST, /* the first count events */
	REPORT_LAST,
	REPORT_AROUND, /* as many before and after the time */
};

struct report_run {
	struct report_input *inputs;
	size_t n_inputs;
	report_writer *writer;
	void *writer_data;
	enum report_select select;
	uint64_t count, around;
	bool check_time; /* complain when time runs backwards */
	uint64_t backwards; /* how often it did */

	uint64_t left; /* events that are still to be shown */
	uint64_t last_time;
	bool held; /* an event waits for the one behind it */
	uint8_t *copy; /* of its bytes */
	size_t cap_copy;
};

/* Makes the texts that stand before lines, for more than one buffer or input. 0 or -ENOMEM. */
int report_run_label(struct report_run *run);
/*
 * The same in steps, for a trace whose events come meanwhile (read/live.h). Each step writes
 * what there is: 1 when all that was asked for is shown, else 0, or as report_run(). With
 * @wait an event whose text depends on the one behind it is held until that is there.
 */
int report_run_begin(struct report_run *run, struct fathom_err *err);
int report_run_step(struct report_run *run, struct sink *sink, bool wait, struct fathom_err *err);
/* 0, -ENOMEM also when lines are wrong for lack of memory, -EPIPE when nobody reads on, or another negative errno. */
int report_run(struct report_run *run, struct sink *sink, struct fathom_err *err);
/* So that the next report_run() begins with the first event again. */
void report_run_rewind(struct report_run *run);
/* Releases what report_run() and report_run_label() made; inputs and reports are the caller's. */
void report_run_done(struct report_run *run);

/* The writer of the default text; @data is not used. */
void report_write_text(void *data, struct report_input *input, struct fathom_event *event,
		       struct text *text);

#endif

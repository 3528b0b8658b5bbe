/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/report/report-run.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "format/event/sample-event.h"
#include "format/event/watch-event.h"
#include "read/event-table.h"
#include "read/trace.h"
#include "read/context/lost-events.h"

/*
 * Lines of the buffers for samples and watched memory need no label: their events have distinct
 * names.
 */
static bool needs_labels(const struct report_input *input)
{
	struct fathom_trace_buffer buffer;
	size_t n = 0;

	for (size_t b = 0; fathom_trace_buffer(input->trace, b, &buffer) == 0; b++)
		n += !str_eq(buffer.name, SAMPLE_BUFFER) &&
		     !str_eq(buffer.name, WATCH_EVENT_BUFFER);
	return n > 1;
}

static size_t widest_label(const struct report_run *run)
{
	size_t width = 0;

	for (size_t i = 0; i < run->n_inputs; i++) {
		const struct report_input *input = &run->inputs[i];
		struct fathom_trace_buffer buffer;

		if (input->label && quote_columns(input->label) > width)
			width = quote_columns(input->label);
		for (size_t b = 0; fathom_trace_buffer(input->trace, b, &buffer) == 0; b++)
			if (quote_columns(buffer.name) > width)
				width = quote_columns(buffer.name);
	}
	return width;
}

static int label_input(struct report_input *input, int width)
{
	size_t n = fathom_trace_info(input->trace)->buffers;

	input->prefixes = mem_zalloc(n ? n : 1, sizeof(input->prefixes[0]));
	if (!input->prefixes)
		return -ENOMEM;
	input->n_prefixes = n;
	for (size_t i = 0; i < n; i++) {
		_cleanup_strbuf_ struct strbuf prefix = { 0 };
		struct fathom_trace_buffer buffer;
		const char *name = input->label;

		if (fathom_trace_buffer(input->trace, i, &buffer) == 0 && *buffer.name)
			name = buffer.name;
		quote_addf(&prefix, name ? "%*s: " : "%*s  ", width, name ?: "");
		input->prefixes[i] = strbuf_take(&prefix);
		if (!input->prefixes[i])
			return -ENOMEM;
	}
	return 0;
}

int report_run_label(struct report_run *run)
{
	size_t width = widest_label(run);
	int r = 0;

	for (size_t i = 0; r == 0 && i < run->n_inputs; i++)
		if (run->n_inputs > 1 || needs_labels(&run->inputs[i]))
			r = label_input(&run->inputs[i], (int)width);
	return r;
}

void report_run_rewind(struct report_run *run)
{
	run->backwards = 0;
	for (size_t i = 0; i < run->n_inputs; i++) {
		struct report_input *input = &run->inputs[i];

		if (input->ready)
			lookahead_done(&input->lookahead);
		input->ready = input->has_event = false;
		input->lost = input->lost_unknown = 0;
	}
}

void report_run_done(struct report_run *run)
{
	free(run->copy);
	run->copy = NULL;
	run->cap_copy = 0;
	for (size_t i = 0; i < run->n_inputs; i++) {
		struct report_input *input = &run->inputs[i];

		for (size_t b = 0; b < input->n_prefixes; b++)
			free(input->prefixes[b]);
		free(input->prefixes);
		input->prefixes = NULL;
		input->n_prefixes = 0;
		if (input->ready)
			lookahead_done(&input->lookahead);
		input->ready = false;
	}
}

void report_write_text(void *data, struct report_input *input, struct fathom_event *event,
		       struct text *text)
{
	if (event->buffer < input->n_prefixes)
		text_str(text, input->prefixes[event->buffer]);
	report_line(input->report, event, &input->lookahead, text);
}

/* Reads up to the next event to be shown. */
static int report_run_advance(struct report_input *input)
{
	int r;

	do {
		r = lookahead_next(&input->lookahead, &input->event);
		if (r <= 0)
			break;
		if (__builtin_expect(input->event.missed == FATHOM_MISSED_UNKNOWN, 0))
			input->lost_unknown++;
		else
			input->lost += input->event.missed;
		input->event.time += (uint64_t)input->time_offset;
	} while (input->wanted && !input->wanted(input->wanted_data, &input->event, false));
	input->has_event = r > 0;
	return r < 0 ? r : 0;
}

/*
 * Steps back by @n events to be shown. Stack traces do not count, because they belong to the event
 * before them. Supports one input only.
 */
static int step_back(struct report_input *input, uint64_t n)
{
	struct fathom_cursor *cursor = input->lookahead.cursor;
	struct fathom_event event;
	int r = 1;

	while (n && r > 0) {
		r = fathom_cursor_prev(cursor, &event);
		if (r > 0 && (!input->wanted || input->wanted(input->wanted_data, &event, true)))
			n--;
	}
	return r < 0 ? r : 0;
}

static int report_run_place(struct report_run *run, struct report_input *input,
			    struct fathom_err *err)
{
	int r;

	r = lookahead_init(&input->lookahead, input->trace, &input->window, err);
	if (r < 0)
		return r;
	input->ready = true;
	if (run->select == REPORT_LAST && !input->wanted)
		r = fathom_cursor_last(input->lookahead.cursor, run->count, NULL);
	else if (run->select == REPORT_LAST)
		r = fathom_cursor_last(input->lookahead.cursor, 0, NULL);
	else if (run->select == REPORT_AROUND)
		r = fathom_cursor_seek(input->lookahead.cursor, run->around);
	if (r == 0 &&
	    (run->select == REPORT_AROUND || (run->select == REPORT_LAST && input->wanted)))
		r = step_back(input, run->count);
	if (r == 0)
		r = report_run_advance(input);
	return r < 0 ? err_nomem(err) : 0;
}

/* Returns the input with the earliest event, or NULL at the end. */
static struct report_input *report_run_earliest(struct report_run *run)
{
	struct report_input *first = NULL;

	for (size_t i = 0; i < run->n_inputs; i++) {
		struct report_input *input = &run->inputs[i];

		if (input->has_event && (!first || input->event.time < first->event.time))
			first = input;
	}
	return first;
}

/* Returns the number of events to show from where @run was positioned. */
static uint64_t lines_wanted(const struct report_run *run)
{
	switch (run->select) {
	case REPORT_FIRST:
		return run->count;
	case REPORT_AROUND:
		return run->count > UINT64_MAX / 2 ? UINT64_MAX : run->count * 2;
	default:
		return UINT64_MAX;
	}
}

int report_run_begin(struct report_run *run, struct fathom_err *err)
{
	run->left = lines_wanted(run);
	run->last_time = 0;
	for (size_t i = 0; i < run->n_inputs; i++) {
		int r = report_run_place(run, &run->inputs[i], err);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Finds the events of calls. A call without nested calls makes one line. */
static void find_calls(struct report_input *input)
{
	static const char *const names[] = { "funcgraph_entry", "fgraph_retaddr_entry" };

	input->calls_known = true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct event_entry *entry =
			event_table_find_name(report_events(input->report), "ftrace", names[i]);

		input->call_ids[i] = entry ? (unsigned)entry->id : UINT_MAX;
	}
}

/* Returns whether the text of the event depends on the next one. */
static bool looks_ahead(const struct report_run *run, struct report_input *input)
{
	if (!input->calls_known)
		find_calls(input);
	return run->writer == report_write_text && input->event.data &&
	       (input->event.id == input->call_ids[0] || input->event.id == input->call_ids[1]);
}

/* Returns 1 if the event must wait, in which case it is copied, 0 if not, or -ENOMEM. */
static int report_run_hold(struct report_run *run, struct report_input *input)
{
	struct fathom_event *event = &input->event, next;
	int r;

	run->held = false;
	if (!looks_ahead(run, input))
		return 0;
	r = lookahead_peek(&input->lookahead, event, &next);
	if (r != 0)
		return r < 0 ? r : 0;
	/* The page may be recycled before the next step. */
	if (event->data != run->copy) {
		if (mem_reserve(&run->copy, &run->cap_copy, event->size, 1) < 0)
			return -ENOMEM;
		memcpy(run->copy, event->data, event->size);
		event->data = run->copy;
	}
	run->held = true;
	return 1;
}

int report_run_step(struct report_run *run, struct sink *sink, bool wait, struct fathom_err *err)
{
	struct report_input *input;

	run->held = false;
	for (size_t i = 0; i < run->n_inputs; i++)
		if (!run->inputs[i].has_event && report_run_advance(&run->inputs[i]) < 0)
			return err_nomem(err);
	for (; run->left && (input = report_run_earliest(run)); run->left--) {
		int r = wait ? report_run_hold(run, input) : 0;

		if (r < 0)
			return err_nomem(err);
		if (r > 0)
			break;
		if (run->check_time && input->event.time < run->last_time)
			run->backwards++;
		run->last_time = input->event.time;
		run->writer(run->writer_data, input, &input->event, &sink->text);
		sink_flush_if_full(sink);
		if (__builtin_expect(sink->err, 0))
			return sink->err;
		if (report_run_advance(input) < 0)
			return err_nomem(err);
	}
	for (size_t i = 0; i < run->n_inputs; i++)
		if (report_nomem(run->inputs[i].report))
			return err_nomem(err);
	return !run->left;
}

/*
 * Called when all events have been read: takes the number of lost ones from the recording's own
 * counts.
 */
static void settle_lost(struct report_run *run)
{
	for (size_t i = 0; i < run->n_inputs; i++) {
		struct report_input *input = &run->inputs[i];
		bool more = input->lost_unknown;

		if (input->trace->is_cut)
			continue;
		lost_events_settle(input->trace, &input->window, &input->lost, &more);
		if (!more)
			input->lost_unknown = 0;
	}
}

int report_run(struct report_run *run, struct sink *sink, struct fathom_err *err)
{
	int r = report_run_begin(run, err);

	if (r == 0)
		r = report_run_step(run, sink, false, err);
	if (r >= 0 && run->select == REPORT_ALL)
		settle_lost(run);
	return r < 0 ? r : 0;
}

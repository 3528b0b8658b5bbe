/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tui/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/order.h"
#include "read/trace.h"

/* Number of events between two looks at the clock. */
#define LOOK_EVERY 1024
/* The number of events to read before sampling, and in each sample. */
#define TRY_EVENTS    100000
#define SAMPLE_EVENTS 256
/* Events before and after the range determine what tasks do at its ends. */
#define EVENTS_BEFORE (1U << 18)
#define EVENTS_BEHIND 2000
/* The last time that can be shown; each column has at least one unit. */
#define TIME_MAX (UINT64_MAX - TIMELINE_CELLS_MAX)

/* Adds a lane for each CPU that has data, in order. */
static void add_cpus(struct timeline *timeline)
{
	const struct fathom_trace *trace = timeline->options.trace;
	int64_t last = -1;

	for (size_t i = 0; i < trace->n_streams && i < TIMELINE_LANES_MAX; i++) {
		int64_t next = INT64_MAX;

		for (size_t k = 0; k < trace->n_streams; k++)
			if (trace->streams[k].cpu->cpu > last && trace->streams[k].cpu->cpu < next)
				next = trace->streams[k].cpu->cpu;
		if (next == INT64_MAX)
			break;
		if (!timeline_lane_get(timeline, LANE_CPU, (int32_t)next, true) &&
		    (timeline->too_many || timeline->nomem))
			break;
		last = next;
	}
}

/* Starts reading again. */
static void timeline_restart(struct timeline *timeline)
{
	unsigned cols = timeline->cols;

	for (unsigned i = 0; i <= cols && cols; i++)
		timeline->starts[i] =
			timeline->from +
			(uint64_t)((unsigned __int128)timeline->span * i / (cols ? cols : 1));
	timeline->cols_per_ns = (double)cols / (double)timeline->span;
	timeline_pass_done(&timeline->exact);
	timeline_pass_done(&timeline->sample);
	timeline_drop_lanes(timeline);
	timeline->phase = TIMELINE_BEGIN;
	timeline->n_clean = timeline->n_exact = 0;
	timeline->sampled = timeline->cancelled = false;
	timeline->n_read = 0;
}

int timeline_resize(struct timeline *timeline, unsigned cols)
{
	if (cols == timeline->cols)
		return 0;
	if (mem_reserve(&timeline->starts, &timeline->cap_starts, cols + (size_t)1,
			sizeof(*timeline->starts)) < 0)
		return -ENOMEM;
	timeline->cols = cols;
	timeline_show(timeline, timeline->from, timeline->span);
	return 0;
}

void timeline_show(struct timeline *timeline, uint64_t from, uint64_t span)
{
	uint64_t whole = timeline_whole(timeline);

	/* Columns are at least one unit of time wide, even if the whole range has fewer. */
	if (whole < timeline->cols)
		whole = timeline->cols;
	if (span < timeline->cols)
		span = timeline->cols;
	if (span > whole)
		span = whole;
	if (from < timeline->first)
		from = timeline->first;
	if (from - timeline->first > whole - span)
		from = timeline->first + (whole - span);
	timeline->from = from;
	timeline->span = span;
	timeline_restart(timeline);
}

/* Returns whether an event belongs to this lane and is to be shown. */
static bool is_of_lane(const struct timeline *timeline, const struct fathom_event *event)
{
	if (!event->data || (timeline->find_kind == LANE_TASK ? event->pid : (int32_t)event->cpu) !=
				    timeline->find_number)
		return false;
	return !timeline->options.wanted ||
	       timeline->options.wanted(timeline->options.wanted_data, event);
}

int timeline_find(struct timeline *timeline, const struct timeline_lane *lane, uint64_t time,
		  bool up)
{
	timeline->finding = up ? -1 : 1;
	timeline->find_kind = lane->kind;
	timeline->find_number = lane->number;
	return fathom_cursor_seek(timeline->finder, up || time == UINT64_MAX ? time : time + 1);
}

int timeline_find_some(struct timeline *timeline, uint64_t until, uint64_t *ret_time)
{
	struct fathom_event event;
	uint64_t n = 0;
	int r;

	for (;;) {
		r = timeline->finding < 0 ? fathom_cursor_prev(timeline->finder, &event) :
					    fathom_cursor_next(timeline->finder, &event);
		if (r != 1 || is_of_lane(timeline, &event))
			break;
		if (++n % LOOK_EVERY == 0 && clock_ns(CLOCK_MONOTONIC) >= until)
			return 1;
	}
	timeline->finding = 0;
	if (r == 1)
		*ret_time = event.time;
	return r == 1 ? 0 : r == 0 ? -ENOENT : r;
}

static int begin_exact(struct timeline *timeline)
{
	timeline_pass_done(&timeline->exact);
	timeline->start = timeline->from;
	timeline->is_back = false;
	timeline->n_before = 0;
	timeline->n_read = timeline->n_inside = timeline->n_behind = 0;
	timeline->n_clean = timeline->n_exact = 0;
	return fathom_cursor_seek(timeline->cursor, timeline->from);
}

/* Moves the cursor some events before the range. Returns 1 if it is not there yet, 0 if it is. */
static int look_back(struct timeline *timeline, uint64_t until)
{
	struct fathom_event event;
	int r = 1;

	while (!timeline->is_back && r == 1 && timeline->n_before < EVENTS_BEFORE) {
		r = fathom_cursor_prev(timeline->cursor, &event);
		if (r == 1 && event.time < timeline->start)
			timeline->start = event.time;
		if (r == 1 && ++timeline->n_before % LOOK_EVERY == 0 &&
		    clock_ns(CLOCK_MONOTONIC) >= until)
			return 1;
	}
	if (r < 0)
		return r;
	if (!timeline->is_back)
		timeline_pass_init(&timeline->exact, timeline, timeline->start);
	timeline->is_back = true;
	return 0;
}

/* Removes what samples have added to these columns, before exact values are added. */
static void clean_until(struct timeline *timeline, uint64_t time)
{
	while (timeline->n_clean < timeline->cols && timeline->starts[timeline->n_clean] <= time) {
		for (size_t i = 0; i < timeline->n_lanes; i++)
			timeline->cells[i * timeline->cols + timeline->n_clean] =
				(struct lane_cell){ 0 };
		timeline->n_clean++;
	}
	while (timeline->n_exact < timeline->cols &&
	       timeline->starts[timeline->n_exact + 1] <= time)
		timeline->n_exact++;
}

static int timeline_finish(struct timeline *timeline)
{
	uint64_t end = timeline->starts[timeline->cols], last = timeline->exact.states.last;

	clean_until(timeline, UINT64_MAX);
	if (last < end)
		end = last;
	timeline_pass_add_lanes(&timeline->exact, end);
	timeline_pass_hold(&timeline->exact, end);
	timeline->n_exact = timeline->cols;
	timeline->sampled = false;
	timeline->phase = TIMELINE_DONE;
	if (timeline->exact.states.nomem || timeline->reader.nomem || timeline->nomem)
		return -ENOMEM;
	return timeline_order(timeline);
}

/* Reads up to @max events that are not before the range. Returns 1 if there are more, 0 if not. */
static int read_exact(struct timeline *timeline, uint64_t max, uint64_t until)
{
	uint64_t end = timeline->from + (timeline->span - 1), last = timeline->from;
	struct fathom_event event;
	int r = look_back(timeline, until);

	if (r != 0)
		return r;
	timeline_pass_let_go(&timeline->exact);
	while ((r = fathom_cursor_next(timeline->cursor, &event)) == 1) {
		/* Must precede the feeding, which adds to these columns. */
		clean_until(timeline, event.time);
		if (event.time <= end)
			last = event.time;
		else if (++timeline->n_behind > EVENTS_BEHIND)
			break;
		timeline_pass_feed(&timeline->exact, &event,
				   event.time >= timeline->from && event.time <= end);
		timeline->n_inside += event.time >= timeline->from;
		if (timeline->n_inside >= max)
			return 1;
		if (++timeline->n_read % LOOK_EVERY == 0 && clock_ns(CLOCK_MONOTONIC) >= until) {
			timeline_pass_hold(&timeline->exact, last);
			return 1;
		}
	}
	return r < 0 ? r : 0;
}

/* Reads the start of the next column. */
static int read_sample(struct timeline *timeline)
{
	struct timeline_pass *pass = &timeline->sample;
	unsigned col = timeline->n_clean++;
	uint64_t start = timeline->starts[col], end = timeline->starts[col + 1], last = start;
	struct fathom_event event;
	unsigned n = 0;
	int r = fathom_cursor_seek(timeline->sampler, start);

	timeline_pass_init(pass, timeline, start);
	pass->is_sample = true;
	pass->col = col;
	while (r >= 0 && n < SAMPLE_EVENTS) {
		r = fathom_cursor_next(timeline->sampler, &event);
		if (r != 1 || event.time >= end)
			break;
		timeline_pass_feed(pass, &event, true);
		last = event.time;
		n++;
	}
	if (n < SAMPLE_EVENTS)
		last = end;
	timeline_pass_hold(pass, last);
	timeline_pass_scale(pass, start, last);
	r = r < 0 || pass->states.nomem || timeline->nomem ? -ENOMEM : 0;
	timeline_pass_done(pass);
	return r;
}

static int begin_samples(struct timeline *timeline)
{
	if (timeline->nomem || timeline->exact.states.nomem)
		return -ENOMEM;
	timeline_drop_lanes(timeline);
	add_cpus(timeline);
	timeline->n_clean = timeline->n_exact = 0;
	timeline->sampled = true;
	timeline->phase = TIMELINE_SAMPLE;
	return 0;
}

static int work_try(struct timeline *timeline, uint64_t until)
{
	uint64_t max = timeline->options.try_events ?: TRY_EVENTS;
	int r = 0;

	if (timeline->phase == TIMELINE_BEGIN) {
		add_cpus(timeline);
		r = begin_exact(timeline);
		timeline->phase = TIMELINE_TRY;
	}
	if (r == 0)
		r = read_exact(timeline, max, until);
	if (r == 0)
		return timeline_finish(timeline);
	if (r == 1 && timeline->n_inside >= max)
		return begin_samples(timeline);
	return r < 0 ? r : 1;
}

static int work_samples(struct timeline *timeline, uint64_t until)
{
	int r = 0;

	while (r == 0 && timeline->n_clean < timeline->cols) {
		r = read_sample(timeline);
		if (r == 0 && timeline->n_clean < timeline->cols &&
		    clock_ns(CLOCK_MONOTONIC) >= until)
			return 1;
	}
	if (r == 0)
		r = timeline_order(timeline);
	if (r == 0)
		r = begin_exact(timeline);
	timeline->phase = TIMELINE_EXACT;
	return r < 0 ? r : 1;
}

int timeline_work(struct timeline *timeline, uint64_t until)
{
	int r = 1;

	if (!timeline->cols || timeline->cancelled)
		return 0;
	/* Return after the first phases, so that the picture of samples is drawn. */
	if (timeline->phase == TIMELINE_BEGIN || timeline->phase == TIMELINE_TRY)
		r = work_try(timeline, until);
	else if (timeline->phase == TIMELINE_EXACT)
		r = read_exact(timeline, UINT64_MAX, until);
	if (timeline->phase == TIMELINE_EXACT && r == 0)
		return timeline_finish(timeline);
	if (timeline->phase == TIMELINE_SAMPLE && r >= 0)
		r = work_samples(timeline, until);
	if (r < 0)
		timeline->phase = TIMELINE_DONE;
	return timeline->phase == TIMELINE_DONE ? (r < 0 ? r : 0) : 1;
}

void timeline_cancel(struct timeline *timeline)
{
	timeline->finding = 0;
	if (timeline->phase == TIMELINE_DONE)
		return;
	timeline->cancelled = true;
	if (!timeline->n_order)
		(void)timeline_order(timeline);
}

/* Sums the cells of the lane in the range. */
static void timeline_sum_up(struct timeline *timeline, size_t number)
{
	struct timeline_lane *lane = &timeline->lanes[number];

	lane->runs = lane->sum_events = 0;
	lane->is_used = lane->kind == LANE_CPU;
	for (unsigned col = 0; col < timeline->cols; col++) {
		const struct lane_cell *cell = &timeline->cells[number * timeline->cols + col];

		lane->runs += cell->times[LANE_RUNS];
		lane->sum_events += cell->events;
		for (unsigned i = 0; i < LANE_TIMES; i++)
			lane->is_used |= cell->times[i] != 0;
	}
	lane->is_used |= lane->sum_events != 0;
}

static int timeline_compare(const void *a, const void *b, void *data)
{
	const struct timeline *timeline = data;
	const struct timeline_lane *x = &timeline->lanes[*(const uint32_t *)a];
	const struct timeline_lane *y = &timeline->lanes[*(const uint32_t *)b];
	int r;

	if (x->kind != y->kind)
		return x->kind == LANE_CPU ? -1 : 1;
	r = x->kind == LANE_CPU ? 0 : order_falling(x->runs, y->runs);
	if (!r && x->kind == LANE_TASK)
		r = order_falling(x->sum_events, y->sum_events);
	return r ? r : (x->number > y->number) - (x->number < y->number);
}

int timeline_order(struct timeline *timeline)
{
	timeline->n_order = 0;
	if (mem_reserve(&timeline->order, &timeline->cap_order, timeline->n_lanes + 1,
			sizeof(*timeline->order)) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->n_lanes; i++) {
		timeline_sum_up(timeline, i);
		if (timeline->lanes[i].is_used)
			timeline->order[timeline->n_order++] = (uint32_t)i;
	}
	if (timeline->n_order)
		qsort_r(timeline->order, timeline->n_order, sizeof(*timeline->order),
			timeline_compare, timeline);
	return 0;
}

int timeline_init(struct timeline *timeline, const struct timeline_options *options,
		  struct fathom_err *err)
{
	struct fathom_cursor **cursors[] = { &timeline->cursor, &timeline->sampler,
					     &timeline->finder };
	const struct fathom_window *window = options->window;
	/* Events of other tasks and CPUs determine when these run. */
	struct fathom_window all = { .to = UINT64_MAX,
				     .buffers = window->buffers,
				     .n_buffers = window->n_buffers };
	int r;

	*timeline = (struct timeline){ .options = *options, .reader.table = options->events };
	timeline->window = *window;
	timeline->options.window = &timeline->window;
	timeline->first = options->first > window->from ? options->first : window->from;
	timeline->last = options->last < window->to ? options->last : window->to;
	/* The end of the last column must be representable. */
	if (timeline->last > TIME_MAX)
		timeline->last = TIME_MAX;
	if (timeline->first > timeline->last)
		timeline->first = timeline->last;
	timeline->from = timeline->first;
	timeline->span = timeline_whole(timeline);
	r = followed_read(options->trace, &timeline->followed);
	if (r < 0)
		err_nomem(err);
	for (size_t i = 0; r == 0 && i < sizeof(cursors) / sizeof(cursors[0]); i++)
		r = fathom_cursor_new(options->trace,
				      cursors[i] == &timeline->finder ? window : &all, cursors[i],
				      err);
	if (r < 0)
		timeline_done(timeline);
	return r;
}

void timeline_done(struct timeline *timeline)
{
	timeline_pass_done(&timeline->exact);
	timeline_pass_done(&timeline->sample);
	event_decoder_done(&timeline->reader);
	followed_done(&timeline->followed);
	fathom_cursor_free(timeline->cursor);
	fathom_cursor_free(timeline->sampler);
	fathom_cursor_free(timeline->finder);
	u64_map_done(&timeline->numbers);
	free(timeline->starts);
	free(timeline->lanes);
	free(timeline->cells);
	free(timeline->order);
	*timeline = (struct timeline){ 0 };
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <inttypes.h>

#include <fathom/fathom.h>

#include "analyze/stream/feed.h"
#include "base/cleanup.h"
#include "export-sample.h"
#include "render/report/report.h"
#include "temp-file.h"
#include "tui/timeline.h"

/* Recordings with context switches: four CPUs, and one with losses. */
static const char *const files[] = { GOLDEN_DIR "/6.1-4cpu-events-v7zstd.dat",
				     GOLDEN_DIR "/run/7.2-pipe.dat",
				     GOLDEN_DIR "/7.2-lost-v6.dat" };

struct fixture {
	struct fathom_trace *trace;
	struct report *report;
	struct fathom_window window;
	uint64_t first, last;
};

static int open_file(struct fixture *f, const char *path)
{
	static const struct report_options plain;
	struct fathom_cursor *cursor = NULL;
	struct fathom_event event;
	int r;

	*f = (struct fixture){ .window = FATHOM_WINDOW_ALL };
	r = fathom_trace_open(path, 0, &f->trace, NULL);
	if (r == 0)
		r = report_new(f->trace, &plain, NULL, &f->report, NULL);
	if (r == 0)
		r = fathom_cursor_new(f->trace, NULL, &cursor, NULL);
	if (r == 0 && (r = fathom_cursor_next(cursor, &event)) == 1)
		f->first = event.time;
	if (r >= 0 && (r = fathom_cursor_last(cursor, 1, NULL)) == 0 &&
	    (r = fathom_cursor_next(cursor, &event)) == 1)
		f->last = event.time;
	fathom_cursor_free(cursor);
	return r < 0 ? r : 0;
}

static void close_file(struct fixture *f)
{
	report_free(f->report);
	fathom_trace_free(f->trace);
}

static int make(struct timeline *timeline, struct fixture *f, unsigned cols, uint64_t try_events)
{
	int r = timeline_init(timeline,
			      &(struct timeline_options){ .trace = f->trace,
							  .events = report_events(f->report),
							  .tasks = report_tasks(f->report),
							  .window = &f->window,
							  .first = f->first,
							  .last = f->last,
							  .try_events = try_events },
			      NULL);

	if (r == 0 && (r = timeline_resize(timeline, cols)) < 0)
		timeline_done(timeline);
	return r;
}

/* To the end, in small steps. */
static int settle(struct timeline *timeline)
{
	int r;

	while ((r = timeline_work(timeline, 0)) == 1)
		;
	return r;
}

#define PIDS 4096

/* The results of a slow and simple reader, for each PID. */
struct truth {
	uint64_t from, to;
	uint64_t first, last;
	uint64_t times[PIDS][TASK_STATES];
	uint64_t events[PIDS], longest[PIDS]; /* waits for a CPU, after a wakeup */
	struct task_states states;
};

static struct truth truth;

static void take_span(void *data, const struct task_states *states, const struct task_span *span)
{
	uint64_t a = span->start, b = span->end, end = truth.to + (truth.to < truth.last);

	if (span->task == TASK_NONE || span->quality == SPAN_DOUBTFUL)
		return;
	if (span->state == TASK_STATE_RUNNABLE && span->quality == SPAN_WHOLE &&
	    !span->was_preempted && b - a > truth.longest[states->tasks[span->task]->pid % PIDS])
		truth.longest[states->tasks[span->task]->pid % PIDS] = b - a;
	if (span->quality == SPAN_CUT && span->at_end)
		b = truth.last;
	else if (span->quality == SPAN_CUT)
		a = truth.first;
	a = a < truth.from ? truth.from : a;
	b = b > end ? end : b;
	if (a < b)
		truth.times[states->tasks[span->task]->pid % PIDS][span->state] += b - a;
}

static void take_event(void *data, const struct decoded_event *decoded)
{
	const struct fathom_event *event = decoded->event;

	if (event->time >= truth.from && event->time <= truth.to)
		truth.events[event->pid % PIDS]++;
	task_states_feed(&truth.states, decoded);
}

static void find_truth(struct fixture *f, uint64_t from, uint64_t to)
{
	struct feed feed = { .trace = f->trace,
			     .window = &f->window,
			     .events = report_events(f->report) };

	memset(&truth, 0, sizeof(truth));
	truth.from = from;
	truth.to = to;
	truth.first = f->first;
	truth.last = f->last;
	truth.states.take = take_span;
	assert_int_equal(feed_run(&feed, take_event, NULL, NULL), 0);
	assert_int_equal(task_states_finish(&truth.states), 0);
	task_states_done(&truth.states);
}

static uint64_t sum(const struct timeline *timeline, uint32_t lane, enum lane_time what)
{
	uint64_t n = 0;

	for (unsigned col = 0; col < timeline->cols; col++)
		n += timeline_cell(timeline, lane, col)->times[what];
	return n;
}

static uint64_t sum_events(const struct timeline *timeline, uint32_t lane)
{
	uint64_t n = 0;

	for (unsigned col = 0; col < timeline->cols; col++)
		n += timeline_cell(timeline, lane, col)->events;
	return n;
}

/* Checks all lanes of tasks against these results. Returns their number. */
static unsigned check_lanes(struct fixture *f, const struct timeline *timeline)
{
	unsigned n = 0;

	find_truth(f, timeline->from, timeline->from + (timeline->span - 1));
	for (size_t i = 0; i < timeline->n_order; i++) {
		const struct timeline_lane *lane = &timeline->lanes[timeline->order[i]];
		const uint64_t *times = truth.times[lane->number % PIDS];

		if (lane->kind != LANE_TASK)
			continue;
		assert_int_equal(sum(timeline, timeline->order[i], LANE_RUNS),
				 times[TASK_STATE_RUNNING]);
		assert_int_equal(sum(timeline, timeline->order[i], LANE_READY),
				 times[TASK_STATE_RUNNABLE]);
		assert_int_equal(sum(timeline, timeline->order[i], LANE_BLOCKED),
				 times[TASK_STATE_BLOCKED]);
		assert_int_equal(sum(timeline, timeline->order[i], LANE_SLEEPS),
				 times[TASK_STATE_SLEEPING] + times[TASK_STATE_IDLE] +
					 times[TASK_STATE_STOPPED]);
		assert_int_equal(sum_events(timeline, timeline->order[i]),
				 truth.events[lane->number % PIDS]);
		n++;
	}
	return n;
}

static void sums_activity_of_tasks(void **state)
{
	static const unsigned cols[] = { 1, 7, 80, 555 };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		for (size_t k = 0; k < ARRAY_SIZE(cols); k++) {
			struct timeline timeline;
			struct fixture f;

			assert_int_equal(open_file(&f, files[i]), 0);
			assert_int_equal(make(&timeline, &f, cols[k], 0), 0);
			assert_int_equal(settle(&timeline), 0);
			assert_true(check_lanes(&f, &timeline) >= 4);
			assert_int_equal(timeline.n_exact, cols[k]);
			assert_false(timeline.sampled);
			timeline_done(&timeline);
			close_file(&f);
		}
}

static void sums_a_window(void **state)
{
	struct timeline timeline;
	struct fixture f;
	uint64_t whole;

	assert_int_equal(open_file(&f, files[0]), 0);
	assert_int_equal(make(&timeline, &f, 80, 0), 0);
	whole = timeline_whole(&timeline);
	timeline_show(&timeline, f.first, whole / 10);
	assert_int_equal(settle(&timeline), 0);
	assert_true(check_lanes(&f, &timeline) >= 4);
	/* There is nothing outside: the range is moved, and limited to the whole. */
	timeline_show(&timeline, f.last, whole / 3);
	assert_int_equal(timeline.from + timeline.span, f.last + 1);
	assert_int_equal(timeline.span, whole / 3);
	timeline_show(&timeline, 0, UINT64_MAX);
	assert_int_equal(timeline.from, f.first);
	assert_int_equal(timeline.span, whole);
	/* A column has at least one unit of time. */
	timeline_show(&timeline, f.first, 1);
	assert_int_equal(timeline.span, 80);
	timeline_done(&timeline);
	close_file(&f);
}

static void reads_requested_places_first(void **state)
{
	struct timeline timeline;
	struct fixture f;
	uint64_t events = 0, guessed = 0;
	int r;

	assert_int_equal(open_file(&f, files[1]), 0);
	assert_int_equal(make(&timeline, &f, 10, 1), 0);
	while ((r = timeline_work(&timeline, 0)) == 1 && timeline.phase != TIMELINE_EXACT)
		;
	assert_int_equal(r, 1);
	assert_true(timeline.sampled);
	assert_int_equal(timeline.n_exact, 0);
	assert_true(timeline.n_order > 2);
	for (unsigned cpu = 0; cpu < 2; cpu++)
		guessed += sum_events(&timeline, timeline_lane(&timeline, LANE_CPU, (int32_t)cpu));
	/* Some columns are exact then, and the others are not discarded. */
	assert_int_equal(timeline_work(&timeline, 0), 1);
	assert_true(timeline.sampled);
	assert_int_equal(settle(&timeline), 0);
	assert_false(timeline.sampled);
	for (unsigned cpu = 0; cpu < 2; cpu++)
		events += sum_events(&timeline, timeline_lane(&timeline, LANE_CPU, (int32_t)cpu));
	assert_in_range(guessed, events / 5, events * 5);
	assert_true(guessed != events);
	assert_true(check_lanes(&f, &timeline) >= 4);
	timeline_done(&timeline);
	close_file(&f);
}

static void can_be_stopped(void **state)
{
	struct timeline timeline;
	struct fixture f;

	assert_int_equal(open_file(&f, files[1]), 0);
	assert_int_equal(make(&timeline, &f, 10, 1), 0);
	while (timeline.phase != TIMELINE_EXACT)
		assert_int_equal(timeline_work(&timeline, 0), 1);
	timeline_cancel(&timeline);
	assert_int_equal(timeline_work(&timeline, UINT64_MAX), 0);
	assert_true(timeline.sampled);
	assert_true(timeline.n_order > 2);
	timeline_done(&timeline);
	close_file(&f);
}

static int find(struct timeline *timeline, uint32_t lane, bool up, uint64_t *time)
{
	int r = timeline_find(timeline, &timeline->lanes[lane], *time, up);

	while (r == 0 && (r = timeline_find_some(timeline, 0, time)) == 1)
		r = 0;
	return r;
}

/* From event to event of a lane, and back. */
static void finds_events(void **state)
{
	uint64_t times[100], time = 0;
	struct timeline timeline;
	struct fixture f;
	uint32_t lane;

	assert_int_equal(open_file(&f, files[0]), 0);
	assert_int_equal(make(&timeline, &f, 80, 0), 0);
	assert_int_equal(settle(&timeline), 0);
	lane = timeline_lane(&timeline, LANE_TASK, 310);
	assert_true(lane != TIMELINE_NO_LANE);
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		assert_int_equal(find(&timeline, lane, false, &time), 0);
		assert_true(!i || time > times[i - 1]);
		times[i] = time;
	}
	assert_int_equal(times[0], timeline_cell(&timeline, lane, 0)->first);
	/* No event was skipped: several may have the same time. */
	find_truth(&f, 0, time);
	assert_in_range(truth.events[310], ARRAY_SIZE(times), 2 * ARRAY_SIZE(times));
	for (size_t i = ARRAY_SIZE(times) - 1; i > 0; i--) {
		assert_int_equal(find(&timeline, lane, true, &time), 0);
		assert_int_equal(time, times[i - 1]);
	}
	assert_int_equal(find(&timeline, lane, true, &time), -ENOENT);
	time = f.last;
	assert_int_equal(find(&timeline, lane, false, &time), -ENOENT);
	timeline_done(&timeline);
	close_file(&f);
}

static void shows_wakers(void **state)
{
	struct timeline timeline;
	struct fixture f;
	unsigned n = 0;

	assert_int_equal(open_file(&f, files[0]), 0);
	assert_int_equal(make(&timeline, &f, 500, 0), 0);
	assert_int_equal(settle(&timeline), 0);
	find_truth(&f, 0, UINT64_MAX);
	for (size_t i = 0; i < timeline.n_order; i++) {
		const struct timeline_lane *lane = &timeline.lanes[timeline.order[i]];
		uint64_t longest = 0;

		for (unsigned col = 0; col < timeline.cols; col++) {
			const struct lane_cell *cell =
				timeline_cell(&timeline, timeline.order[i], col);

			if (!cell->wake.time)
				continue;
			n++;
			assert_int_equal(timeline_col(&timeline, cell->wake.time), col);
			assert_true(cell->wake.kind != WAKER_TASK || cell->wake.pid > 0);
			if (cell->wake.wait > longest)
				longest = cell->wake.wait;
		}
		if (lane->kind == LANE_TASK)
			assert_int_equal(longest, truth.longest[lane->number % PIDS]);
	}
	assert_true(n > 50);
	timeline_done(&timeline);
	close_file(&f);
}

static bool is_sh(void *data, const struct fathom_event *event)
{
	return event->pid == 310;
}

static void shows_wanted_events(void **state)
{
	int32_t pid = 310;
	struct timeline timeline;
	struct fixture f;

	assert_int_equal(open_file(&f, files[0]), 0);
	assert_int_equal(make(&timeline, &f, 80, 0), 0);
	timeline.options.wanted = is_sh;
	assert_int_equal(settle(&timeline), 0);
	assert_int_equal(check_lanes(&f, &timeline), 1);
	timeline_done(&timeline);
	/* Likewise with a window, in which the lanes of CPUs are shown. */
	f.window.pids = &pid;
	f.window.n_pids = 1;
	assert_int_equal(make(&timeline, &f, 80, 0), 0);
	assert_int_equal(settle(&timeline), 0);
	assert_int_equal(timeline.n_order, 5);
	f.window.pids = NULL;
	assert_int_equal(check_lanes(&f, &timeline), 1);
	timeline_done(&timeline);
	close_file(&f);
}

static int open_events(struct fixture *f, const struct export_sample_event *events)
{
	int r = export_sample_save(events, temp_path);

	*f = (struct fixture){ 0 };
	return r < 0 ? r : open_file(f, temp_path);
}

/* In a recording of one task, the activity of others is only partially known. */
static void states_of_unrecorded_tasks_are_unknown(void **state)
{
	static const struct export_sample_event events[] = {
		{ EXPORT_NOTE, 0, 0, 0, 0, 0, 0, "pids: 42\n" },
		{ EXPORT_SWITCH, 0, 1000, 43, 43, 42, 0, "task" },
		{ EXPORT_SWITCH, 0, 1100, 42, 42, 43, 1, "other" },
		{ EXPORT_WAKING, 0, 1200, 43, 42, 0, 0, "task" },
		{ EXPORT_WAKING, 0, 1300, 43, 42, 0, 0, "task" },
		{ EXPORT_SWITCH, 0, 1500, 43, 43, 42, 0, "task" },
		{ EXPORT_PRINT, 0, 1600, 42, 0, 0, 0, "end" },
		{ 0 }
	};

	/* Once from all events, and once sampled first: the second column has wakeups only. */
	for (uint64_t try_events = 0; try_events < 2; try_events++) {
		struct timeline timeline;
		uint32_t lane, other;
		struct fixture f;

		assert_int_equal(open_events(&f, events), 0);
		assert_int_equal(make(&timeline, &f, 3, try_events), 0);
		while (try_events && timeline.phase != TIMELINE_EXACT)
			assert_int_equal(timeline_work(&timeline, 0), 1);
		other = timeline_lane(&timeline, LANE_TASK, 43);
		for (unsigned i = 0; try_events && i < LANE_TIMES; i++)
			assert_int_equal(sum(&timeline, other, i), 0);
		assert_int_equal(settle(&timeline), 0);
		lane = timeline_lane(&timeline, LANE_TASK, 42);
		other = timeline_lane(&timeline, LANE_TASK, 43);
		assert_true(lane != TIMELINE_NO_LANE && other != TIMELINE_NO_LANE);
		assert_int_equal(sum(&timeline, lane, LANE_RUNS), 200);
		assert_int_equal(sum(&timeline, lane, LANE_SLEEPS), 100);
		assert_int_equal(sum(&timeline, lane, LANE_READY), 300);
		for (unsigned i = 0; i < LANE_TIMES; i++)
			assert_int_equal(sum(&timeline, other, i), 0);
		assert_int_equal(sum(&timeline, timeline_lane(&timeline, LANE_CPU, 0), LANE_RUNS),
				 200);
		timeline_done(&timeline);
		close_file(&f);
	}
}

/* A task that sleeps throughout the visible range, whose last event was long before. */
static void looks_back_for_states(void **state)
{
	enum {
		N = 10000
	};
	static struct export_sample_event events[N + 2] = { { EXPORT_SWITCH, 0, 1000, 42, 42, 43, 1,
							      "other" } };
	struct timeline timeline;
	struct fixture f;
	uint32_t lane;

	for (unsigned i = 1; i <= N; i++)
		events[i] =
			(struct export_sample_event){ EXPORT_PRINT, 0, 1000 + i * 10, 43, 0, 0, 0,
						      "x" };
	assert_int_equal(open_events(&f, events), 0);
	assert_int_equal(make(&timeline, &f, 10, 0), 0);
	timeline_show(&timeline, f.last - 5000, 1000);
	assert_int_equal(settle(&timeline), 0);
	lane = timeline_lane(&timeline, LANE_TASK, 43);
	assert_int_equal(sum(&timeline, lane, LANE_RUNS), 1000);
	assert_int_equal(sum_events(&timeline, lane), 100);
	lane = timeline_lane(&timeline, LANE_TASK, 42);
	assert_true(lane != TIMELINE_NO_LANE);
	assert_int_equal(sum(&timeline, lane, LANE_SLEEPS), 1000);
	assert_int_equal(sum_events(&timeline, lane), 0);
	timeline_done(&timeline);
	close_file(&f);
}

static int read_all(void *arg)
{
	struct timeline timeline = { 0 };
	struct fixture f;
	int r = open_file(&f, files[2]);

	if (r == 0)
		r = make(&timeline, &f, 20, 1);
	if (r == 0)
		r = settle(&timeline);
	timeline_done(&timeline);
	if (r == 0 && report_nomem(f.report))
		r = -ENOMEM;
	close_file(&f);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(read_all, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_activity_of_tasks),
		cmocka_unit_test(sums_a_window),
		cmocka_unit_test(reads_requested_places_first),
		cmocka_unit_test(can_be_stopped),
		cmocka_unit_test(finds_events),
		cmocka_unit_test(shows_wakers),
		cmocka_unit_test(shows_wanted_events),
		cmocka_unit_test(states_of_unrecorded_tasks_are_unknown),
		cmocka_unit_test(looks_back_for_states),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}

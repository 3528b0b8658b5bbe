/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include <fathom/fathom.h>

#include "analyze/stream/feed.h"
#include "temp-file.h"
#include "trace-writer.h"

#define EVENTS	1000
#define UNKNOWN 700 /* an event of unknown format */

/*
 * Writes events at 1000, 1001 ..., alternating between two CPUs; the pid is the number of the
 * event.
 */
static int make(void)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	int r = w ? 0 : -ENOMEM;

	for (unsigned i = 0; i < EVENTS && r == 0; i++) {
		struct page_writer *p = trace_writer_cpu(w, 0, i % 2);

		r = p ? 0 : -ENOMEM;
		if (p)
			page_writer_event(p, 1000 + i, UNKNOWN, (int32_t)i, 16);
	}
	if (r == 0)
		r = trace_writer_save(w, temp_path);
	trace_writer_free(w);
	return r;
}

struct seen {
	uint64_t early, others, late;
	int32_t first, last; /* of all */
	bool disordered; /* an early event came after others */
};

static void take(void *data, const struct decoded_event *decoded)
{
	struct seen *seen = data;

	if (!seen->early && !seen->others)
		seen->first = decoded->event->pid;
	seen->last = decoded->event->pid;
	seen->disordered |= decoded->early && seen->others;
	if (decoded->late)
		seen->late++;
	else if (decoded->early)
		seen->early++;
	else
		seen->others++;
}

struct
try {
	uint64_t from, to, max_early, max_late;
	struct seen seen;
	struct feed feed;
};

static int run(void *arg)
{
	struct try *try = arg;
	struct fathom_window window = FATHOM_WINDOW_ALL;
	struct event_table table = { 0 };
	struct fathom_trace *trace;
	int r = fathom_trace_open(temp_path, 0, &trace, NULL);

	if (r < 0)
		return r;
	window.from = try->from;
	window.to = try->to;
	try->seen = (struct seen){ 0 };
	try->feed = (struct feed){ .trace = trace,
				   .window = &window,
				   .events = &table,
				   .plain = true,
				   .filtered = 1ULL << DECODED_OTHER,
				   .max_early = try->max_early,
				   .max_late = try->max_late };
	r = event_table_init(&table, trace, NULL);
	if (r == 0)
		r = feed_run(&try->feed, take, &try->seen, NULL);
	event_table_done(&table);
	fathom_trace_free(trace);
	return r;
}

static struct try try_window(uint64_t from, uint64_t to, uint64_t max_early)
{
	struct try try = { .from = from, .to = to, .max_early = max_early };

	assert_int_equal(run(&try), 0);
	assert_false(try.seen.disordered);
	assert_int_equal(try.feed.n_events, try.seen.others);
	assert_int_equal(try.feed.n_counted, try.seen.others);
	return try;
}

static void early_events_are_optional(void **state)
{
	struct try try = try_window(1500, 1599, 0);

	assert_int_equal(try.seen.early, 0);
	assert_int_equal(try.seen.others, 100);
	assert_int_equal(try.feed.from, 1500);
	assert_int_equal(try.feed.to, 1599);

	try = try_window(1500, 1599, EVENTS);
	assert_int_equal(try.seen.early, 500);
	assert_int_equal(try.seen.others, 100);
	assert_int_equal(try.seen.first, 0);
	assert_int_equal(try.seen.last, 599);
	assert_int_equal(try.feed.first, 1500);
	assert_int_equal(try.feed.last, 1599);
	assert_false(try.feed.early_more);
}

static void early_events_are_bounded(void **state)
{
	struct try try = try_window(1500, UINT64_MAX, 200);

	assert_int_equal(try.seen.early, 200);
	assert_int_equal(try.seen.first, 300);
	assert_int_equal(try.seen.others, 500);
	assert_true(try.feed.early_more);

	try = try_window(1500, UINT64_MAX, 500);
	assert_int_equal(try.seen.early, 500);
	assert_false(try.feed.early_more);

	try = try_window(0, UINT64_MAX, 500);
	assert_int_equal(try.seen.early, 0);
	assert_int_equal(try.seen.others, EVENTS);
	assert_int_equal(try.feed.from, 0);
}

static void finds_the_end_of_the_window(void **state)
{
	/* The last event is at 1999. */
	assert_int_equal(try_window(1500, UINT64_MAX, 0).feed.to, 1999);
	assert_int_equal(try_window(1500, 1998, 10).feed.to, 1998);
	assert_int_equal(try_window(1500, 1999, 10).feed.to, 1999);
	assert_int_equal(try_window(1500, 5000, 10).feed.to, 1999);
	/* The window is empty, and after the last event. */
	assert_int_equal(try_window(3000, 5000, 10).feed.to, 1999);
	assert_int_equal(try_window(0, 500, 10).feed.to, 500);
}

static void passes_late_events(void **state)
{
	struct try try = { .from = 1500, .to = 1599, .max_late = 30 };

	assert_int_equal(run(&try), 0);
	assert_int_equal(try.seen.early, 0);
	assert_int_equal(try.seen.others, 100);
	assert_int_equal(try.seen.late, 30);
	assert_int_equal(try.feed.n_events, 100);
	assert_int_equal(try.feed.n_counted, 100);
	assert_int_equal(try.feed.last, 1599);
	assert_int_equal(try.feed.to, 1599);

	try = (struct try){ .from = 1500, .to = 1989, .max_late = 30, .max_early = 10 };
	assert_int_equal(run(&try), 0);
	assert_int_equal(try.seen.early, 10);
	assert_int_equal(try.seen.late, 10);
	assert_int_equal(try.feed.to, 1989);
}

static void survives_failing_allocations(void **state)
{
	oom_check(run, &(struct try){ .from = 1500, .to = 1599, .max_early = 200 });
}

static int make_file(void **state)
{
	return temp_file_setup(state) < 0 ? -1 : make();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(early_events_are_optional),
		cmocka_unit_test(early_events_are_bounded),
		cmocka_unit_test(finds_the_end_of_the_window),
		cmocka_unit_test(passes_late_events),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, make_file, temp_file_teardown);
}

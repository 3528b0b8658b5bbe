/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocation failures; other tests of the cursor are in tests/read. */
#include "test.h"

#include <limits.h>

#include <fathom/fathom.h>

#include "read/cursor.h"
#include "read/trace.h"
#include "temp-file.h"
#include "trace-writer.h"

static int make(enum compression compression)
{
	struct trace_config config = { .version = 7, .compression = compression, .chunk_pages = 1 };
	struct trace_writer *w = trace_writer_new(&config);
	int r = w ? 0 : -ENOMEM;

	for (unsigned i = 0; i < 1000 && r == 0; i++) {
		struct page_writer *p = trace_writer_cpu(w, 0, i % 2);

		r = p ? 0 : -ENOMEM;
		if (p)
			page_writer_event(p, 1000 + i, 1, (int32_t)i, 16);
	}
	if (r == 0)
		r = trace_writer_save(w, temp_path);
	trace_writer_free(w);
	return r;
}

/* Opens a trace, reads to the end and back to the start, and seeks. */
static int read_both_ways(void *arg)
{
	const unsigned *flags = arg;
	struct fathom_trace *trace;
	struct fathom_cursor *cursor;
	struct fathom_event event;
	int r = fathom_trace_open(temp_path, *flags, &trace, NULL), n = 0;

	if (r < 0)
		return r;
	r = fathom_cursor_new(trace, NULL, &cursor, NULL);
	if (r < 0) {
		fathom_trace_free(trace);
		return r;
	}
	while ((r = fathom_cursor_next(cursor, &event)) == 1)
		assert_int_equal(event.pid, n++);
	while (r == 0 && (r = fathom_cursor_prev(cursor, &event)) == 1) {
		assert_int_equal(event.pid, --n);
		r = 0;
	}
	if (r == 0) {
		assert_int_equal(n, 0);
		r = fathom_cursor_seek(cursor, 1500);
	}
	if (r == 0 && (r = fathom_cursor_next(cursor, &event)) == 1) {
		assert_int_equal(event.pid, 500);
		r = 0;
	}
	/* After an error the cursor has no position, and says so until it is moved. */
	if (r < 0)
		assert_true(fathom_cursor_next(cursor, &event) < 0);
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
	return r;
}

static void survives_failing_allocations(void **state)
{
	unsigned flags[] = { 0, FATHOM_OPEN_NO_MAP };

	for (int i = 0; i < 4; i++)
		if (succeeds(make(i / 2 ? COMPRESSION_ZSTD : COMPRESSION_NONE) == 0))
			oom_check(read_both_ways, &flags[i % 2]);
}

static void a_trace_without_events(void **state)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	struct fathom_cursor *cursor;
	struct fathom_trace *trace;
	struct fathom_event event;

	if (succeeds(w && trace_writer_save(w, temp_path) == 0 &&
		     fathom_trace_open(temp_path, 0, &trace, NULL) == 0)) {
		if (succeeds(fathom_cursor_new(trace, NULL, &cursor, NULL) == 0)) {
			assert_int_equal(fathom_cursor_next(cursor, &event), 0);
			if (succeeds(fathom_cursor_prev(cursor, &event) >= 0))
				assert_int_equal(fathom_cursor_last(cursor, 5, NULL), 0);
			fathom_cursor_free(cursor);
		}
		fathom_trace_free(trace);
	}
	trace_writer_free(w);
}

/* Ends reading at the page after @at events. */
struct observer {
	unsigned at, read;
	uint64_t bytes, time, last;
};

static bool observer_page(void *data, uint64_t time, uint32_t bytes)
{
	struct observer *observer = data;

	observer->bytes += bytes;
	observer->time = time;
	return observer->read >= observer->at;
}

/*
 * Reads to the end. All events up to the last one must be there: they have consecutive PIDs. Returns false if memory
 * is exhausted.
 */
static bool read_forward(struct fathom_trace *trace, struct observer *observer)
{
	struct fathom_cursor *cursor;
	struct fathom_event event;
	int r;

	if (!succeeds(fathom_cursor_new(trace, NULL, &cursor, NULL) == 0))
		return false;
	observer->read = 0;
	while ((r = fathom_cursor_next(cursor, &event)) == 1) {
		assert_int_equal(event.pid, observer->read++);
		observer->last = event.time;
	}
	fathom_cursor_free(cursor);
	return succeeds(r == 0);
}

/* Returns NULL if memory is exhausted. */
static struct fathom_trace *open_observed(enum compression compression, struct observer *observer)
{
	struct fathom_trace *trace;

	if (!succeeds(make(compression) == 0) ||
	    !succeeds(fathom_trace_open(temp_path, 0, &trace, NULL) == 0))
		return NULL;
	trace->watch = (struct trace_watch){ .page = observer_page, .data = observer };
	return trace;
}

static void cut_by_observer(struct fathom_trace *trace, struct observer *observer)
{
	unsigned n;

	require(read_forward(trace, observer));
	n = observer->read;
	assert_in_range(n, 400, 800);
	assert_true(trace->is_cut);
	assert_int_equal(trace->cut, observer->last);
	assert_int_equal(observer->time, observer->last);
	/* Another cursor also ends there, although it is not ended by the watch. */
	observer->at = 0;
	require(read_forward(trace, observer));
	assert_int_equal(observer->read, n);
	assert_int_equal(trace->cut, observer->last);
}

static void ends_where_the_watch_says(void **state)
{
	static const enum compression compressions[] = { COMPRESSION_NONE, COMPRESSION_ZSTD };

	for (size_t i = 0; i < ARRAY_SIZE(compressions); i++) {
		struct observer observer = { .at = 400 };
		struct fathom_trace *trace = open_observed(compressions[i], &observer);

		require(trace);
		cut_by_observer(trace, &observer);
		fathom_trace_free(trace);
	}
}

static void read_unobserved(struct fathom_trace *trace, struct observer *observer)
{
	struct fathom_cursor *cursor;
	struct fathom_event event;

	require(fathom_cursor_new(trace, NULL, &cursor, NULL) == 0);
	cursor_unwatch(cursor);
	while (fathom_cursor_next(cursor, &event) == 1)
		;
	assert_int_equal(observer->bytes, 0);
	fathom_cursor_free(cursor);
}

static void observes_all_pages(void **state)
{
	struct observer observer = { .at = UINT_MAX };
	struct fathom_trace *trace = open_observed(COMPRESSION_NONE, &observer);

	require(trace);
	if (read_forward(trace, &observer)) {
		assert_int_equal(observer.read, 1000);
		assert_false(trace->is_cut);
		/* 20 bytes per event, in two streams with pages of 4096 bytes. */
		assert_int_equal(observer.bytes % 4096, 0);
		assert_in_range(observer.bytes, 20000, 30000);
	}
	observer.bytes = 0;
	read_unobserved(trace, &observer);
	fathom_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(a_trace_without_events),
		cmocka_unit_test(ends_where_the_watch_says),
		cmocka_unit_test(observes_all_pages),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}

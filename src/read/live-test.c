/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace that is fed piecemeal reads like the file from which the pieces come. */
#include "test.h"

#include <unistd.h>

#include <fathom/fathom.h>

#include "base/cleanup.h"
#include "read/live.h"
#include "trace-writer.h"

#define CPUS	3
#define BUFFERS 2
#define STREAMS (CPUS * BUFFERS)
#define EVENTS	6000
#define PAGE	1024

static char path[] = "/tmp/fathom-live-XXXXXX";

static unsigned seed;

static unsigned any(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

/* Events in bursts, so that CPUs are pages ahead of each other; some pages report losses. */
static int make(void)
{
	struct trace_config config = { .version = 7, .page_size = PAGE };
	struct trace_writer *w = trace_writer_new(&config);
	uint64_t time = 1000;
	unsigned stream = 0;
	int r = w ? 0 : -ENOMEM;

	if (w)
		trace_writer_buffer(w, "two");
	for (int i = 0; i < EVENTS && r == 0; i++) {
		struct page_writer *p;

		if (any(40) == 0)
			stream = any(STREAMS);
		p = trace_writer_cpu(w, stream / CPUS, stream % CPUS);
		if (!p) {
			r = -ENOMEM;
			break;
		}
		if (any(300) == 0)
			page_writer_lost(p, any(5) + 1);
		time += any(3);
		page_writer_event(p, time, 1, i, 16 + 4 * any(8));
	}
	if (r == 0)
		r = trace_writer_save(w, path);
	trace_writer_free(w);
	return r;
}

/* The pages of the file, and how many of them were fed. */
struct feed {
	struct fathom_trace *file;
	struct fathom_trace *live;
	size_t n;
	uint64_t fed[STREAMS]; /* pages */
};

static void feed_done(struct feed *feed)
{
	fathom_trace_free(feed->live);
	fathom_trace_free(feed->file);
}

static int feed_init(struct feed *feed, size_t memory)
{
	struct live_stream streams[STREAMS];
	int r = fathom_trace_open(path, 0, &feed->file, NULL);

	if (r == 0)
		r = fathom_trace_open(path, FATHOM_OPEN_NO_MAP, &feed->live, NULL);
	if (r < 0)
		return r;
	feed->n = feed->file->n_streams;
	assert_true(feed->n <= STREAMS);
	for (size_t i = 0; i < feed->n; i++)
		streams[i] = (struct live_stream){ feed->file->streams[i].number,
						   feed->file->streams[i].cpu->cpu };
	return live_init(feed->live, streams, feed->n, memory, NULL);
}

static uint64_t pages_of(const struct feed *feed, size_t i)
{
	return feed->file->streams[i].cpu->size / PAGE;
}

static const uint8_t *page_of(const struct feed *feed, size_t i, uint64_t page)
{
	return feed->file->source.map + feed->file->streams[i].cpu->offset + page * PAGE;
}

/* Feeds up to @n pages per stream. Returns the time up to which everything is available. */
static uint64_t give(struct feed *feed, unsigned n)
{
	uint64_t until = UINT64_MAX;

	for (size_t i = 0; i < feed->n; i++) {
		struct block_ring *queue = live_queue(feed->live, i);

		for (unsigned k = any(n + 1); k && feed->fed[i] < pages_of(feed, i); k--) {
			uint8_t *room = block_ring_room(queue);

			if (!room)
				break;
			memcpy(room, page_of(feed, i, feed->fed[i]++), PAGE);
			block_ring_add(queue);
		}
		if (feed->fed[i] < pages_of(feed, i)) {
			uint64_t time;

			memcpy(&time, page_of(feed, i, feed->fed[i]), sizeof(time));
			/* That page's first event may have this very time. */
			if (time - 1 < until)
				until = time - 1;
		}
	}
	return until;
}

static void assert_same(const struct fathom_event *a, const struct fathom_event *b)
{
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->buffer, b->buffer);
	assert_int_equal(a->missed, b->missed);
	assert_int_equal(a->size, b->size);
	if (a->size)
		assert_memory_equal(a->data, b->data, a->size);
}

struct
try {
	size_t memory;
	unsigned pages; /* fed at a time */
	bool peek;
	struct fathom_window window;
};

/* Reads all events available and compares them. Returns their number, or a negative errno. */
static int drain(struct lookahead *live, struct lookahead *file, bool peek)
{
	struct fathom_event event, expected, next, next_expected;
	int n = 0, r;

	while ((r = lookahead_next(live, &event)) == 1) {
		r = lookahead_next(file, &expected);
		if (r < 0)
			return r;
		assert_int_equal(r, 1);
		assert_same(&event, &expected);
		n++;
		if (!peek || any(2))
			continue;
		r = lookahead_peek(live, &event, &next);
		if (r < 0)
			return r;
		assert_same(&event, &expected);
		/* Events that both have are equal. */
		if (r == 1) {
			r = lookahead_peek(file, &expected, &next_expected);
			if (r < 0)
				return r;
			assert_int_equal(r, 1);
			assert_same(&next, &next_expected);
		}
	}
	return r < 0 ? r : n;
}

static int read_all(const struct try *try, struct feed *feed, struct lookahead *live,
		    struct lookahead *file)
{
	struct fathom_event event;
	uint64_t until = 0;
	int n = 0, r;

	while (until != UINT64_MAX) {
		until = give(feed, try->pages);
		r = live_resume(live, until);
		if (r < 0)
			return r;
		r = drain(live, file, try->peek);
		if (r < 0)
			return r;
		n += r;
		live_release(feed->live, live);
	}
	r = lookahead_next(file, &event);
	assert_true(r <= 0);
	return r < 0 ? r : n;
}

static int try_once(void *arg)
{
	const struct try *try = arg;
	_cleanup_(feed_done) struct feed feed = { 0 };
	_cleanup_(lookahead_done) struct lookahead live = { 0 }, file = { 0 };
	int r = feed_init(&feed, try->memory);

	if (r == 0)
		r = lookahead_init(&live, feed.live, &try->window, NULL);
	if (r == 0)
		r = lookahead_init(&file, feed.file, &try->window, NULL);
	if (r == 0)
		r = read_all(try, &feed, &live, &file);
	/* Cursors must be freed before their traces. */
	lookahead_done(&live);
	lookahead_done(&file);
	return r < 0 ? r : 0;
}

static void equals_the_finished_file(void **state)
{
	require(make() >= 0);
	for (unsigned round = 0; round < 20; round++) {
		struct try try = { .memory = round % 2 ? 0 : 1 << 20,
				   .pages = 1 + round % 5,
				   .peek = round % 3 == 0,
				   .window = FATHOM_WINDOW_ALL };

		seed = round;
		assert_int_equal(try_once(&try), 0);
	}
}

/* Streams that are not read don't block the others. */
static void reads_some_of_the_streams(void **state)
{
	static const uint32_t cpus[] = { 2 };
	struct try try = { .pages = 3, .window = FATHOM_WINDOW_ALL };

	require(make() >= 0);
	try.window.cpus = cpus;
	try.window.n_cpus = 1;
	assert_int_equal(try_once(&try), 0);
}

static void survives_failing_allocations(void **state)
{
	struct try try = { .pages = 3, .peek = true, .window = FATHOM_WINDOW_ALL };

	require(make() >= 0);
	oom_check(try_once, &try);
}

static int set_up(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_finished_file),
		cmocka_unit_test(reads_some_of_the_streams),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

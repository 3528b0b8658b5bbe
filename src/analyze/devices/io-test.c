/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/devices/io.h"

#define INSERT	 DECODED_BLOCK_INSERT
#define MERGE	 DECODED_BLOCK_MERGE
#define ISSUE	 DECODED_BLOCK_ISSUE
#define REQUEUE	 DECODED_BLOCK_REQUEUE
#define COMPLETE DECODED_BLOCK_COMPLETE
#define SDA	 (8U << 20)

struct step {
	enum decoded_kind kind;
	uint64_t time;
	char operation;
	uint64_t sector;
	uint32_t sectors;
	int32_t error;
	uint32_t device; /* offset from SDA */
	uint64_t missed;
	bool unwanted;
	uint16_t buffer;
};

static struct io *new_io(void)
{
	return test_calloc(1, sizeof(struct io));
}

static void free_io(struct io *io)
{
	io_done(io);
	test_free(io);
}

static int feed(const struct step *steps, struct io *io)
{
	uint64_t last = 0;

	for (; steps->time; steps++) {
		struct fathom_event event = { .time = steps->time,
					      .missed = steps->missed,
					      .pid = 7,
					      .buffer = steps->buffer };
		struct decoded_event decoded = { .kind = steps->kind,
						 .event = &event,
						 .unwanted = steps->unwanted,
						 .early = steps->time < io->from,
						 .late = io->to && steps->time > io->to };

		decoded.block.device = SDA + steps->device;
		decoded.block.operation = steps->operation;
		decoded.block.sector = steps->sector;
		decoded.block.sectors = steps->sectors;
		decoded.block.bytes = steps->sectors * 512;
		decoded.block.error = steps->error;
		io_feed(io, &decoded);
		last = decoded.late ? io->to : steps->time;
	}
	return io_finish(io, last);
}

static const struct io_row *find(const struct io *io, uint32_t device, char operation)
{
	for (size_t i = 0; i < io->n; i++)
		if (io->list[i].device == SDA + device && io->list[i].operation == operation)
			return &io->list[i];
	fail_msg("%c is missing", operation);
	return NULL;
}

static void check(const struct latency *latency, uint64_t count, uint64_t total, uint64_t max)
{
	assert_int_equal(latency->count, count);
	assert_int_equal(latency->total, total);
	assert_int_equal(latency->max, max);
}

/* Requests to two devices at once, with and without a scheduler, flushes, and one that fails. */
static const struct step usual[] = {
	{ COMPLETE, 50, 'R', 8, 8 }, /* began before */
	{ INSERT, 100, 'W', 1000, 8 },
	{ INSERT, 110, 'W', 1008, 16 },
	{ ISSUE, 120, 'W', 1000, 8 },
	{ ISSUE, 130, 'W', 1008, 16 },
	{ ISSUE, 140, 'R', 1000, 32 }, /* the same sector, another operation */
	{ ISSUE, 145, 'R', 1000, 32, .device = 16 }, /* another device */
	{ COMPLETE, 150, 'W', 1008, 16 },
	{ COMPLETE, 220, 'W', 1000, 8, -5 },
	{ COMPLETE, 240, 'R', 1000, 32 },
	{ COMPLETE, 345, 'R', 1000, 32, .device = 16 },
	{ ISSUE, 400, 'F', 0, 0 },
	{ COMPLETE, 410, 'F', UINT64_MAX, 0 },
	{ COMPLETE, 411, 'W', 0, 0 }, /* was only for the flush */
	{ ISSUE, 500, 'N', 0, 0 },
	{ COMPLETE, 503, 'N', UINT64_MAX, 1 },
	{ ISSUE, 600, 'W', 5, 1 }, /* does not complete */
	{ 0 },
};

static void computes_sums(void **state)
{
	struct io *io = new_io();

	if (succeeds(feed(usual, io) == 0)) {
		const struct io_row *row = find(io, 0, 'W');

		assert_int_equal(row->count, 2);
		assert_int_equal(row->bytes, 24 * 512);
		assert_int_equal(row->errors, 1);
		assert_int_equal(row->cut, 1);
		assert_int_equal(row->depth, 2);
		check(&row->took, 2, 120, 100);
		assert_int_equal(row->took.slowest.list[0].start, 120);
		check(&row->queued, 2, 40, 20);
		row = find(io, 0, 'R');
		check(&row->took, 1, 100, 100);
		check(&row->queued, 0, 0, 0);
		assert_int_equal(row->cut, 1);
		assert_int_equal(row->depth, 3);
		row = find(io, 16, 'R');
		check(&row->took, 1, 200, 200);
		assert_int_equal(row->depth, 1);
		check(&find(io, 0, 'F')->took, 1, 10, 10);
		check(&find(io, 0, 'N')->took, 1, 3, 3);
		assert_int_equal(io->heat.counts[heat_row(100)][0], 2);
		assert_int_equal(io->n, 5);
	}
	free_io(io);
}

static void lost_events_leave_no_times(void **state)
{
	static const struct step steps[] = {
		{ INSERT, 90, 'R', 64, 8 },
		{ ISSUE, 100, 'R', 8, 8 },
		{ ISSUE, 110, 'W', 8, 8 },
		{ DECODED_OTHER, 200, .missed = FATHOM_MISSED_UNKNOWN },
		{ COMPLETE, 210, 'R', 8, 8 }, /* may belong to another request */
		{ ISSUE, 220, 'R', 64, 8 },
		{ COMPLETE, 225, 'R', 64, 8 },
		{ 0 },
	};
	struct io *io = new_io();

	if (succeeds(feed(steps, io) == 0)) {
		check(&find(io, 0, 'R')->took, 1, 5, 5);
		check(&find(io, 0, 'R')->queued, 0, 0, 0);
		assert_int_equal(find(io, 0, 'R')->cut, 1);
		assert_int_equal(find(io, 0, 'R')->depth, 1);
		assert_int_equal(find(io, 0, 'W')->depth, 2);
		assert_int_equal(find(io, 0, 'W')->cut, 1);
	}
	free_io(io);
}

/* Two equal requests at once are ambiguous; the one after them is not. */
static void does_not_guess(void **state)
{
	static const struct step steps[] = {
		{ INSERT, 90, 'R', 8, 8 },    { INSERT, 95, 'R', 8, 8 },
		{ ISSUE, 100, 'R', 8, 8 },    { ISSUE, 110, 'R', 8, 8 },
		{ COMPLETE, 150, 'R', 8, 8 }, { COMPLETE, 160, 'R', 8, 8 },
		{ INSERT, 195, 'R', 8, 8 },   { ISSUE, 200, 'R', 8, 8 },
		{ COMPLETE, 210, 'R', 8, 8 }, { 0 },
	};
	struct io *io = new_io();

	if (succeeds(feed(steps, io) == 0)) {
		const struct io_row *row = find(io, 0, 'R');

		check(&row->took, 1, 10, 10);
		check(&row->queued, 1, 5, 5);
		assert_int_equal(row->cut, 2);
		assert_int_equal(row->count, 1);
		assert_int_equal(row->depth, 2);
	}
	free_io(io);
}

/* Requeued and queued again; merged; completed in parts, one of which fails. */
static void follows_requests(void **state)
{
	static const struct step steps[] = {
		{ INSERT, 100, 'W', 8, 8 },
		{ ISSUE, 110, 'W', 8, 8 },
		{ REQUEUE, 115, 'W', 8, 8 },
		{ INSERT, 116, 'W', 8, 8 },
		{ ISSUE, 135, 'W', 8, 8 },
		{ COMPLETE, 140, 'W', 8, 8 },
		{ INSERT, 200, 'R', 8, 8 },
		{ INSERT, 201, 'R', 16, 8 },
		{ MERGE, 202, 'R', 16, 8 },
		{ ISSUE, 210, 'R', 8, 16 },
		{ COMPLETE, 220, 'R', 8, 4, -5 },
		{ COMPLETE, 230, 'R', 12, 8 },
		{ COMPLETE, 250, 'R', 20, 4 },
		{ INSERT, 300, 'R', 16, 8 },
		{ ISSUE, 303, 'R', 16, 8 },
		{ COMPLETE, 304, 'R', 16, 8 },
		{ 0 },
	};
	struct io *io = new_io();

	if (succeeds(feed(steps, io) == 0)) {
		const struct io_row *row = find(io, 0, 'W');

		check(&row->took, 1, 5, 5);
		check(&row->queued, 2, 30, 20);
		assert_int_equal(row->requeued, 1);
		assert_int_equal(row->cut, 0);
		assert_int_equal(row->depth, 1);
		row = find(io, 0, 'R');
		check(&row->took, 2, 41, 40);
		check(&row->queued, 2, 13, 10);
		assert_int_equal(row->merged, 1);
		assert_int_equal(row->errors, 1);
		assert_int_equal(row->bytes, 24 * 512);
		assert_int_equal(row->cut, 0);
		assert_int_equal(row->depth, 1);
		assert_int_equal(io->table.n, 0);
	}
	free_io(io);
}

/* A request is wanted if its insert or its issue is; another buffer duplicates the events. */
static void a_row_with_any_count_is_shown(void **state)
{
	static const struct io_row rows[] = {
		{ .count = 1 },		 { .cut = 1 },		{ .merged = 1 },
		{ .requeued = 1 },	 { .queued.count = 1 }, { .took_partial = 1 },
		{ .queued_partial = 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_true(io_row_is_seen(&rows[i]));
	assert_false(io_row_is_seen(&(struct io_row){ .device = 5, .bytes = 512 }));
}

static void counts_only_wanted_events(void **state)
{
	static const struct step steps[] = {
		{ INSERT, 100, 'R', 8, 8 },
		{ INSERT, 101, 'R', 16, 8, .unwanted = true },
		{ ISSUE, 110, 'R', 8, 8, .unwanted = true },
		{ ISSUE, 111, 'R', 16, 8, .unwanted = true },
		{ ISSUE, 112, 'R', 24, 8 },
		{ ISSUE, 112, 'R', 24, 8, .buffer = 1 },
		{ COMPLETE, 120, 'R', 8, 8, .unwanted = true },
		{ COMPLETE, 121, 'R', 16, 8 },
		{ COMPLETE, 122, 'R', 24, 8, .unwanted = true },
		{ COMPLETE, 122, 'R', 24, 8, .buffer = 1 },
		{ 0 },
	};
	struct io *io = new_io();

	if (succeeds(feed(steps, io) == 0)) {
		const struct io_row *row = find(io, 0, 'R');

		check(&row->took, 2, 20, 10);
		check(&row->queued, 1, 10, 10);
		assert_int_equal(row->cut, 0);
		assert_int_equal(row->depth, 3);
	}
	free_io(io);
}

/* Memory is limited to pending requests, and to a number of requests that never complete. */
static void drops_old_requests(void **state)
{
	struct io *io = new_io();
	bool nomem = false;

	for (uint64_t i = 0; i < 200000 && !nomem; i++) {
		struct fathom_event event = { .time = i + 1 };
		struct decoded_event decoded = { .kind = i % 2 ? INSERT : ISSUE, .event = &event };

		decoded.block.operation = 'W';
		decoded.block.sector = i;
		decoded.block.sectors = 1;
		io_feed(io, &decoded);
		nomem = io->nomem;
	}
	assert_true(io->table.n <= 65536);
	if (succeeds(io_finish(io, 0) == 0))
		assert_int_equal(io->list[0].cut, 100000);
	free_io(io);
}

/* Random insertions and removals; no key is lost. */
static void finds_all_requests_in_the_table(void **state)
{
	struct io_table table = { 0 };
	bool there[300] = { false };
	uint32_t random = 7;
	size_t n = 0;

	for (unsigned i = 0; i < 30000; i++) {
		struct io_key key = { .device = 1, .operation = 'R' };
		struct io_request *request;

		random = random * 1664525 + 1013904223;
		key.sector = (random >> 8) % 300;
		request = io_table_find(&table, &key);
		assert_true(!!request == there[key.sector]);
		if (request) {
			assert_int_equal(request->pid, key.sector);
			io_table_remove(&table, request);
			n--;
		} else {
			request = io_table_make(&table, &key);
			if (!request)
				break;
			request->pid = (int32_t)key.sector;
			n++;
		}
		there[key.sector] = !there[key.sector];
		assert_int_equal(table.n, n);
	}
	io_table_done(&table);
}

/* The window is from 200 to 300. */
static const struct step window[] = {
	{ ISSUE, 100, 'R', 8, 8 },
	{ COMPLETE, 150, 'R', 8, 8 },
	{ INSERT, 160, 'W', 8, 8 },
	{ ISSUE, 170, 'R', 16, 8 },
	{ ISSUE, 210, 'W', 8, 8 }, /* queued for 10 of it */
	{ COMPLETE, 220, 'R', 16, 8 }, /* took 20 of it */
	{ COMPLETE, 240, 'W', 8, 8 },
	{ INSERT, 250, 'W', 32, 8 },
	{ ISSUE, 255, 'W', 32, 8 },
	{ INSERT, 260, 'W', 40, 8 },
	{ INSERT, 270, 'W', 48, 8 },
	{ ISSUE, 275, 'R', 56, 8 },
	{ ISSUE, 280, 'R', 64, 8 },
	/* After the window. */
	{ COMPLETE, 310, 'W', 32, 8 },
	{ MERGE, 320, 'W', 40, 8 },
	{ ISSUE, 330, 'W', 48, 8 },
	{ REQUEUE, 340, 'R', 56, 8 },
	{ ISSUE, 350, 'R', 72, 8 },
	{ COMPLETE, 360, 'R', 72, 8 },
	{ 0 },
};

static void clips_at_window_borders(void **state)
{
	struct io *io = new_io();

	io->from = 200;
	io->to = 300;
	if (succeeds(feed(window, io) == 0)) {
		const struct io_row *row = find(io, 0, 'W');

		assert_int_equal(row->count, 1);
		check(&row->took, 1, 30, 30);
		assert_int_equal(row->took_partial, 45);
		check(&row->queued, 1, 5, 5);
		assert_int_equal(row->queued_partial, 10 + 30);
		assert_int_equal(row->merged, 0);
		assert_int_equal(row->cut, 1);
		row = find(io, 0, 'R');
		assert_int_equal(row->count, 0);
		assert_int_equal(row->bytes, 0);
		assert_int_equal(row->requeued, 0);
		/* The requeued one has no service time, and the last one does not complete. */
		assert_int_equal(row->took_partial, 20 + 20);
		assert_int_equal(row->cut, 2);
	}
	free_io(io);
}

static int feed_usual(void *arg)
{
	struct io *io = new_io();
	int r = feed(usual, io);

	free_io(io);
	return r;
}

/*
 * In a recording limited to some tasks: a kernel thread issued the first request, and the
 * completion of the second is missing.
 */
static void partial_recordings_have_cut_requests(void **state)
{
	static const struct step steps[] = {
		{ INSERT, 100, 'W', 0, 8 },    { COMPLETE, 150, 'W', 0, 8 },
		{ ISSUE, 200, 'W', 8, 8 },     { INSERT, 300, 'W', 16, 8 },
		{ INSERT, 400, 'W', 16, 8 },   { ISSUE, 500, 'W', 24, 8 },
		{ COMPLETE, 550, 'W', 24, 8 }, { 0 },
	};
	struct io *io = new_io();
	const struct io_row *row;

	io->is_part = true;
	if (succeeds(feed(steps, io) == 0)) {
		row = find(io, 0, 'W');
		assert_int_equal(row->count, 1);
		assert_int_equal(row->cut, 4);
		assert_int_equal(row->took.total, 50);
	}
	free_io(io);
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_usual, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computes_sums),
		cmocka_unit_test(a_row_with_any_count_is_shown),
		cmocka_unit_test(partial_recordings_have_cut_requests),
		cmocka_unit_test(lost_events_leave_no_times),
		cmocka_unit_test(does_not_guess),
		cmocka_unit_test(follows_requests),
		cmocka_unit_test(counts_only_wanted_events),
		cmocka_unit_test(drops_old_requests),
		cmocka_unit_test(finds_all_requests_in_the_table),
		cmocka_unit_test(clips_at_window_borders),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

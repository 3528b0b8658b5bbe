/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moving a cursor in any way must yield the same events as plain iteration, for every kind of file;
 * and plain iteration must yield the written events.
 */

#include "events.h"
#include "format/file/trace-file.h"
#include "temp-file.h"

/* The written events, in the order in which they must be read. */
struct written {
	uint64_t time, missed;
	uint32_t cpu, size, sequence;
	uint16_t buffer, id;
	int32_t pid;
};

static int by_time(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->buffer != y->buffer)
		return x->buffer - y->buffer;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->sequence < y->sequence ? -1 : 1;
}

#define BUFFERS 3
#define CPUS	5
#define EVENTS	3000

/* Fills @w with events of all kinds, and @ret with the expected list. */
static void write_events(struct trace_writer *w, uint64_t seed, struct written *ret)
{
	static struct {
		uint64_t time, missed;
	} at[BUFFERS][CPUS];

	memset(at, 0, sizeof(at));
	for (unsigned b = 1; b < BUFFERS; b++)
		trace_writer_buffer(w, b == 1 ? "one" : "two");
	for (unsigned i = 0; i < EVENTS; i++) {
		unsigned b = (unsigned)(rnd(&seed) % BUFFERS), c = (unsigned)(rnd(&seed) % CPUS);
		/* Coarse steps yield many events of the same time. */
		uint64_t step = (rnd(&seed) % 4) * 1000;
		struct page_writer *p = trace_writer_cpu(w, b, c * 2);

		if (!at[b][c].time)
			at[b][c].time = 5000000000ULL;
		if (rnd(&seed) % 50 == 0)
			step += 1ULL << (27 + rnd(&seed) % 8);
		at[b][c].time += step;
		switch (rnd(&seed) % 40) {
		case 0:
			page_writer_lost(p, 1 + rnd(&seed) % 1000);
			at[b][c].missed = p->lost;
			break;
		case 1:
			page_writer_lost(p, PAGE_WRITER_LOST_UNKNOWN);
			at[b][c].missed = p->lost;
			break;
		case 2:
			page_writer_stamp(p, at[b][c].time);
			break;
		case 3:
			page_writer_discard(p, at[b][c].time, 4 + (uint32_t)(rnd(&seed) % 200));
			at[b][c].time = p->time;
			break;
		case 5:
			/* A page without events reports the loss. */
			page_writer_lost(p, 1 + rnd(&seed) % 1000);
			at[b][c].missed = p->lost;
			page_writer_empty_page(p, at[b][c].time);
			break;
		case 4:
			page_writer_empty_page(p, at[b][c].time);
			break;
		}
		ret[i] = (struct written){
			.time = at[b][c].time,
			.missed = at[b][c].missed,
			.cpu = c * 2,
			.size = 8 + (uint32_t)(rnd(&seed) % (i % 100 == 0 ? 1500 : 40)) / 4 * 4,
			.sequence = i,
			.buffer = (uint16_t)b,
			.id = (uint16_t)(1 + rnd(&seed) % 500),
			.pid = (int32_t)(rnd(&seed) % 10),
		};
		at[b][c].missed = 0;
		page_writer_event(p, ret[i].time, ret[i].id, ret[i].pid, ret[i].size);
	}
	qsort(ret, EVENTS, sizeof(*ret), by_time);
}

static void check_written(const struct events *events, const struct written *written)
{
	assert_int_equal(events->n, EVENTS);
	for (size_t i = 0; i < events->n; i++) {
		const struct fathom_event *e = &events->list[i];

		assert_true(e->time == written[i].time);
		assert_int_equal(e->cpu, written[i].cpu);
		assert_int_equal(e->buffer, written[i].buffer);
		assert_int_equal(e->id, written[i].id);
		assert_int_equal(e->pid, written[i].pid);
		assert_int_equal(e->size, written[i].size);
		assert_true(e->missed == written[i].missed);
	}
}

/* Backwards from the end, and forwards again. */
static void check_back(struct fathom_trace *trace, const struct events *all)
{
	struct fathom_cursor *cursor = cursor_or_fail(trace, NULL);
	struct fathom_event event;

	assert_int_equal(fathom_cursor_last(cursor, 0, NULL), 0);
	assert_int_equal(fathom_cursor_next(cursor, &event), 0);
	for (size_t i = all->n; i-- > 0;) {
		assert_int_equal(fathom_cursor_prev(cursor, &event), 1);
		event_same(all, i, &event);
	}
	assert_int_equal(fathom_cursor_prev(cursor, &event), 0);
	assert_int_equal(fathom_cursor_prev(cursor, &event), 0);
	for (size_t i = 0; i < all->n; i++) {
		assert_int_equal(fathom_cursor_next(cursor, &event), 1);
		event_same(all, i, &event);
	}
	assert_int_equal(fathom_cursor_next(cursor, &event), 0);
	assert_int_equal(fathom_cursor_next(cursor, &event), 0);
	assert_int_equal(fathom_cursor_prev(cursor, &event), 1);
	event_same(all, all->n - 1, &event);
	fathom_cursor_free(cursor);
}

/* Any mixture of moves. */
static void check_walk(struct fathom_trace *trace, const struct events *all, uint64_t seed)
{
	struct fathom_cursor *cursor = cursor_or_fail(trace, NULL);
	struct fathom_event event;
	size_t at = 0;
	uint64_t n;

	for (unsigned round = 0; round < 200; round++) {
		size_t steps = rnd(&seed) % 30;
		int r = 1;

		switch (rnd(&seed) % 8) {
		case 0:
			at = rnd(&seed) % all->n;
			while (at && all->list[at - 1].time == all->list[at].time)
				at--;
			assert_int_equal(fathom_cursor_seek(cursor, all->list[at].time), 0);
			break;
		case 1:
			assert_int_equal(fathom_cursor_last(cursor, steps, &n), 0);
			assert_true(n == steps);
			at = all->n - steps;
			break;
		case 2:
			assert_int_equal(fathom_cursor_first(cursor), 0);
			at = 0;
			break;
		case 3:
		case 4:
			for (; steps && r == 1; steps--) {
				r = fathom_cursor_prev(cursor, &event);
				assert_int_equal(r, at > 0);
				if (r == 1)
					event_same(all, --at, &event);
			}
			break;
		default:
			for (; steps && r == 1; steps--) {
				r = fathom_cursor_next(cursor, &event);
				assert_int_equal(r, at < all->n);
				if (r == 1)
					event_same(all, at++, &event);
			}
		}
	}
	fathom_cursor_free(cursor);
}

static bool in_window(const struct fathom_window *w, const struct fathom_event *e)
{
	return e->time >= w->from && e->time <= w->to && (!w->cpus || e->cpu == w->cpus[0]) &&
	       (!w->buffers || e->buffer == w->buffers[0]);
}

/* A window contains the same events as a filter by time, from both ends. */
static void check_window(struct fathom_trace *trace, const struct events *all, uint64_t seed)
{
	const uint32_t cpu = (uint32_t)(rnd(&seed) % CPUS) * 2;
	const uint16_t buffer = (uint16_t)(rnd(&seed) % BUFFERS);
	const int32_t pid = (int32_t)(rnd(&seed) % 10);
	struct fathom_window w = FATHOM_WINDOW_ALL;
	size_t a = rnd(&seed) % all->n, b = rnd(&seed) % all->n, n = 0, i;
	struct fathom_cursor *cursor;
	struct fathom_event event;

	w.from = all->list[a < b ? a : b].time;
	w.to = all->list[a < b ? b : a].time;
	if (seed % 2) {
		w.cpus = &cpu;
		w.n_cpus = 1;
	}
	if (seed % 3 == 0) {
		w.buffers = &buffer;
		w.n_buffers = 1;
	}
	if (seed % 5 == 0) {
		w.pids = &pid;
		w.n_pids = 1;
	}
	cursor = cursor_or_fail(trace, &w);
	for (i = 0; i < all->n; i++) {
		const struct fathom_event *e = &all->list[i];

		if (!in_window(&w, e) || (w.pids && e->pid != pid && !e->missed))
			continue;
		n++;
		assert_int_equal(fathom_cursor_next(cursor, &event), 1);
		if (!w.pids || e->pid == pid)
			event_same(all, i, &event);
		else
			assert_true(!event.data && event.missed == e->missed &&
				    event.time == e->time);
	}
	assert_int_equal(fathom_cursor_next(cursor, &event), 0);
	for (size_t k = 0; k < n; k++)
		assert_int_equal(fathom_cursor_prev(cursor, &event), 1);
	assert_int_equal(fathom_cursor_prev(cursor, &event), 0);
	fathom_cursor_free(cursor);
}

static void check_config(const struct trace_config *config, unsigned flags, uint64_t seed)
{
	struct trace_writer *w = trace_writer_new(config);
	static struct written written[EVENTS];
	struct fathom_cursor *cursor;
	struct fathom_trace *trace;
	struct events all = { 0 };

	write_events(w, seed, written);
	assert_int_equal(trace_writer_save(w, temp_path), 0);
	trace_writer_free(w);
	trace = open_or_fail(temp_path, flags);
	cursor = cursor_or_fail(trace, NULL);
	events_read(&all, cursor);
	fathom_cursor_free(cursor);
	check_written(&all, written);
	check_back(trace, &all);
	check_walk(trace, &all, seed);
	for (unsigned i = 0; i < 12; i++)
		check_window(trace, &all, seed + i * 7919);
	assert_true(fathom_trace_damage_count(trace) == 0);
	events_done(&all);
	fathom_trace_free(trace);
}

static void every_kind_of_file(void **state)
{
	static const uint32_t sizes[] = { 4096, 8192, 65536 };
	uint64_t seed = 88172645463325252ULL;

	for (unsigned i = 0; i < 36; i++) {
		struct trace_config config = {
			.version = i % 4 ? 7 : 6,
			.compression = i % 4 > 1 ?
					       (i % 4 == 2 ? COMPRESSION_ZLIB : COMPRESSION_ZSTD) :
					       COMPRESSION_NONE,
			.big_endian = i / 4 % 2,
			.long_size = i / 4 % 3 == 1 ? 4 : 8,
			.page_size = sizes[i / 12],
			.chunk_pages = 1 + i % 7,
		};

		check_config(&config, i % 5 == 0 ? FATHOM_OPEN_NO_MAP : 0, seed + i);
	}
}

/* Times that are converted, also backwards. */
static void converted_times(void **state)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	static struct written written[EVENTS];
	struct events raw = { 0 }, all = { 0 };
	struct fathom_cursor *cursor;
	struct fathom_trace *trace;
	uint8_t tsc[16];

	store_u32(tsc, 3000000000U, false);
	store_u32(tsc + 4, 33, false);
	store_u64(tsc + 8, 77, false);
	trace_writer_option(w, TRACE_ID_TSC2NSEC, tsc, sizeof(tsc));
	trace_writer_option(w, TRACE_ID_OFFSET, "-1000", 6);
	trace_writer_option(w, TRACE_ID_DATE, "0x10", 5);
	write_events(w, 4711, written);
	assert_int_equal(trace_writer_save(w, temp_path), 0);
	trace_writer_free(w);
	trace = open_or_fail(temp_path, FATHOM_OPEN_RAW_TIME);
	cursor = cursor_or_fail(trace, NULL);
	events_read(&raw, cursor);
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
	check_written(&raw, written);
	trace = open_or_fail(temp_path, 0);
	cursor = cursor_or_fail(trace, NULL);
	events_read(&all, cursor);
	fathom_cursor_free(cursor);
	for (size_t i = 0; i < all.n; i++)
		assert_true(all.list[i].time ==
			    (uint64_t)(((unsigned __int128)raw.list[i].time * 3000000000U) >> 33) -
				    1000 + 16000);
	check_walk(trace, &all, 99);
	events_done(&raw);
	events_done(&all);
	fathom_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_file),
		cmocka_unit_test(converted_times),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}

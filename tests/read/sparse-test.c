/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In a file of 100 GB, nearly all of it holes, the first events, the last ones and a window in the
 * middle are found without touching the rest, and memory use does not depend on the size. Also a
 * machine with 1,024 CPUs, and a file with 1,000 buffers.
 *
 * Page faults are measured: accessing all pages of the file, or storing a number for each, takes
 * more than a hundred thousand. Time would depend on the load of the machine.
 */
#include <limits.h>
#include <sys/resource.h>

#include "events.h"
#include "temp-file.h"

#define GB ((uint64_t)1 << 30)
/* A sanitizer keeps freed memory, and has tables of its own: its memory use is meaningless. */
#define RESIDENT_MAX	(ADDRESS_SANITIZED ? LONG_MAX : 128 * 1024) /* KB */
#define FAULTS_MAX	(ADDRESS_SANITIZED ? LONG_MAX : 2000)
#define CPUS_FAULTS_MAX (ADDRESS_SANITIZED ? LONG_MAX : 100000)

static long page_faults(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_minflt + usage.ru_majflt;
}

static long resident_peak(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "VmHWM:", 6) == 0)
			kb = strtol(line + 6, NULL, 10);
	if (f)
		fclose(f);
	return kb;
}

/* Opens the file and reads @n events from @from on. Returns the number of page faults. */
static long read_window(uint64_t from, uint64_t n, uint64_t want_time)
{
	struct fathom_window window = FATHOM_WINDOW_ALL;
	long start = page_faults();
	struct fathom_trace *trace = open_or_fail(temp_path, 0);
	struct fathom_cursor *cursor;
	struct fathom_event event;
	uint64_t last = 0;

	window.from = from;
	cursor = cursor_or_fail(trace, &window);
	for (uint64_t i = 0; i < n; i++) {
		assert_int_equal(fathom_cursor_next(cursor, &event), 1);
		assert_true(event.time >= last && event.time >= from);
		if (i == 0)
			assert_true(event.time == want_time);
		last = event.time;
	}
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
	return page_faults() - start;
}

static long read_last(uint64_t n, uint64_t want_time)
{
	long start = page_faults();
	struct fathom_trace *trace = open_or_fail(temp_path, 0);
	struct fathom_cursor *cursor = cursor_or_fail(trace, NULL);
	struct fathom_event event;
	uint64_t got;

	assert_int_equal(fathom_cursor_last(cursor, n, &got), 0);
	assert_true(got == n);
	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(fathom_cursor_next(cursor, &event), 1);
	assert_true(event.time == want_time);
	assert_int_equal(fathom_cursor_next(cursor, &event), 0);
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
	return page_faults() - start;
}

static void reads_a_hundred_gigabytes(void **state)
{
	const uint64_t pages = 25 * GB / 4096, dense = 64, every = 16384;
	/* The first written page after the middle. */
	const uint64_t middle = pages / 2, next = (middle / every + 1) * every;
	const uint64_t last = SPARSE_TIME(pages - 1) + (SPARSE_EVENTS - 1) * SPARSE_STEP;
	long first_faults, last_faults, middle_faults;

	assert_int_equal(trace_writer_sparse(temp_path, 4, pages, dense, every), 0);
	first_faults = read_window(0, 1000, SPARSE_TIME(0));
	last_faults = read_last(1000, last);
	middle_faults = read_window(SPARSE_TIME(middle) + 900, 1000, SPARSE_TIME(next));
	print_message("page faults: first %ld, last %ld, middle %ld; %ld KB resident\n",
		      first_faults, last_faults, middle_faults, resident_peak());
	assert_true(first_faults < FAULTS_MAX);
	assert_true(last_faults < FAULTS_MAX);
	assert_true(middle_faults < FAULTS_MAX);
	assert_true(resident_peak() < RESIDENT_MAX);
}

/* All written events are found, from both ends, across all holes. */
static void nothing_is_lost_between_holes(void **state)
{
	const uint64_t pages = 2 * GB / 4096, dense = 4, every = 1000;
	uint64_t want = 0, n = 0;
	struct fathom_cursor *cursor;
	struct fathom_trace *trace;
	struct fathom_event event;

	for (uint64_t p = 0; p < pages; p++)
		want += p < dense || p >= pages - dense || p % every == 0;
	want *= 2 * SPARSE_EVENTS;
	assert_int_equal(trace_writer_sparse(temp_path, 2, pages, dense, every), 0);
	trace = open_or_fail(temp_path, 0);
	cursor = cursor_or_fail(trace, NULL);
	while (fathom_cursor_next(cursor, &event) == 1)
		n++;
	assert_true(n == want);
	while (fathom_cursor_prev(cursor, &event) == 1)
		n--;
	assert_true(n == 0);
	assert_true(fathom_trace_damage_count(trace) == 0);
	for (uint64_t p = every; p < pages - dense; p += 37 * every) {
		assert_int_equal(fathom_cursor_seek(cursor, SPARSE_TIME(p) - 500), 0);
		assert_int_equal(fathom_cursor_next(cursor, &event), 1);
		assert_true(event.time == SPARSE_TIME(p));
		assert_int_equal(fathom_cursor_seek(cursor, SPARSE_TIME(p) - 500), 0);
		assert_int_equal(fathom_cursor_prev(cursor, &event), 1);
		assert_true(event.time == SPARSE_TIME(p - every < dense ? dense - 1 : p - every) +
						  (SPARSE_EVENTS - 1) * SPARSE_STEP);
	}
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
}

/* Reads more than may be resident, all of it, through the mapping. */
static void memory_stays_small(void **state)
{
	const uint64_t pages = 40000;
	struct fathom_cursor *cursor;
	struct fathom_trace *trace;
	struct fathom_event event;
	uint64_t n = 0;

	assert_int_equal(trace_writer_sparse(temp_path, 2, pages, pages, 1), 0);
	trace = open_or_fail(temp_path, 0);
	cursor = cursor_or_fail(trace, NULL);
	while (fathom_cursor_next(cursor, &event) == 1)
		n++;
	assert_true(n == 2 * pages * SPARSE_EVENTS);
	while (fathom_cursor_prev(cursor, &event) == 1)
		n--;
	assert_true(n == 0);
	print_message("%llu MB read both ways, %ld KB resident\n",
		      (unsigned long long)(2 * pages * 4096 >> 20), resident_peak());
	assert_true(resident_peak() < RESIDENT_MAX / 2);
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
}

static void reads_a_thousand_cpus(void **state)
{
	const uint64_t pages = GB / 4096, dense = 8, every = 16384;
	long middle_faults, last_faults;

	assert_int_equal(trace_writer_sparse(temp_path, 1024, pages, dense, every), 0);
	middle_faults = read_window(SPARSE_TIME(every * 4), 100000, SPARSE_TIME(every * 4));
	last_faults = read_last(10000, SPARSE_TIME(pages - 1) + (SPARSE_EVENTS - 1) * SPARSE_STEP);
	print_message("1,024 CPUs, 1 TB: page faults: middle %ld, last %ld; %ld KB resident\n",
		      middle_faults, last_faults, resident_peak());
	assert_true(middle_faults < CPUS_FAULTS_MAX);
	assert_true(last_faults < CPUS_FAULTS_MAX);
	assert_true(resident_peak() < RESIDENT_MAX);
}

static void reads_a_thousand_buffers(void **state)
{
	for (unsigned version = 6; version <= 7; version++) {
		struct trace_config config = {
			.version = version,
			.compression = version == 7 ? COMPRESSION_ZSTD : COMPRESSION_NONE,
		};
		struct trace_writer *w = trace_writer_new(&config);
		struct fathom_trace *trace;
		struct fathom_cursor *cursor;
		struct events all = { 0 };
		char name[32];

		for (unsigned b = 1; b < 1000; b++) {
			snprintf(name, sizeof(name), "buffer-%u", b);
			trace_writer_buffer(w, name);
		}
		for (unsigned b = 0; b < 1000; b++)
			for (unsigned c = 0; c < 4; c++)
				for (unsigned i = 0; i < 5; i++)
					page_writer_event(trace_writer_cpu(w, b, c),
							  1000 + i * 100 + b, 1, (int)c, 16);
		assert_int_equal(trace_writer_save(w, temp_path), 0);
		trace_writer_free(w);
		trace = open_or_fail(temp_path, 0);
		cursor = cursor_or_fail(trace, NULL);
		events_read(&all, cursor);
		assert_int_equal(all.n, 20000);
		for (size_t i = 1; i < all.n; i++)
			assert_true(all.list[i].time >= all.list[i - 1].time);
		assert_true(fathom_trace_damage_count(trace) == 0);
		events_done(&all);
		fathom_cursor_free(cursor);
		fathom_trace_free(trace);
	}
}

int main(void)
{
	/* In this order: the memory peak includes all previous tests. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_hundred_gigabytes),
		cmocka_unit_test(nothing_is_lost_between_holes),
		cmocka_unit_test(memory_stays_small),
		cmocka_unit_test(reads_a_thousand_cpus),
		cmocka_unit_test(reads_a_thousand_buffers),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}

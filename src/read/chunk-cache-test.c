/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of a file that is not mapped: their contents, and which one is evicted. */
#include "test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "read/chunk-cache.h"
#include "read/trace.h"
#include "temp-file.h"
#include "trace-writer.h"

#define PAGE   4096
#define OFFSET 512 /* of the CPU's data in the file */
#define RUN    ((size_t)256 << 10)
#define SIZE   (2 * RUN + PAGE)
#define FIT    (CHUNK_CACHE_MAX / (RUN + sizeof(struct chunk_run)))
#define OWNERS (FIT + 2)

struct fixture {
	struct fathom_trace trace;
	struct trace_buffer buffer;
	struct trace_cpu cpu;
	struct trace_stream stream;
	struct chunk_cache cache;
	struct chunk_run *slots[OWNERS];
	const uint8_t *pages[OWNERS];
};

static struct fixture f;

/* Each page begins with its number. */
static int make(void **state)
{
	int fd = memfd_create("chunk-cache-test", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, OFFSET + SIZE) < 0)
		return -1;
	for (uint32_t i = 0; i < SIZE / PAGE; i++)
		if (pwrite(fd, &i, sizeof(i), OFFSET + (off_t)i * PAGE) != sizeof(i))
			return -1;
	memset(&f, 0, sizeof(f));
	damage_init(&f.trace.file.damage);
	f.buffer.layout.size = PAGE;
	f.cpu = (struct trace_cpu){ .offset = OFFSET, .size = SIZE, .cpu = 3 };
	f.stream = (struct trace_stream){ .buffer = &f.buffer, .cpu = &f.cpu };
	/* Fewer streams than there will be, to reach the total limit. */
	chunk_cache_init(&f.cache, &f.trace, 1);
	return source_init(&f.trace.source, fd, SOURCE_NO_MAP, NULL);
}

static int clean(void **state)
{
	chunk_cache_done(&f.cache);
	source_done(&f.trace.source);
	damage_done(&f.trace.file.damage);
	return 0;
}

static int get(size_t owner, uint64_t raw)
{
	struct chunk chunk = { 0 };

	return chunk_cache_get(&f.cache, &f.stream, raw, &chunk, &f.slots[owner], &f.pages[owner]);
}

static uint32_t number_at(size_t owner, uint64_t raw)
{
	uint32_t number;

	memcpy(&number, f.slots[owner]->data + (raw - f.slots[owner]->raw), sizeof(number));
	return number;
}

static void reads_runs(void **state)
{
	require(get(0, 5 * PAGE) == 1);
	assert_int_equal(f.slots[0]->raw, 0);
	assert_int_equal(f.slots[0]->size, RUN);
	assert_int_equal(number_at(0, 5 * PAGE), 5);
	/* The last byte of the run, and the first one after it. */
	require(get(0, RUN - 1) == 1);
	assert_int_equal(f.slots[0]->raw, 0);
	require(get(0, RUN) == 1);
	assert_int_equal(f.slots[0]->raw, RUN);
	assert_int_equal(number_at(0, RUN), RUN / PAGE);
	/* The last run is shorter; nothing follows it. */
	require(get(0, SIZE - 1) == 1);
	assert_int_equal(f.slots[0]->raw, 2 * RUN);
	assert_int_equal(f.slots[0]->size, PAGE);
	assert_int_equal(number_at(0, 2 * RUN), 2 * RUN / PAGE);
	assert_int_equal(f.cache.used, sizeof(struct chunk_run) + PAGE);
	assert_int_equal(get(0, SIZE), 0);
	assert_null(f.slots[0]);
	assert_int_equal(f.cache.used, 0);
}

static void runs_consist_of_whole_pages(void **state)
{
	/* One more than the number of streams. */
	assert_int_equal(f.cache.run_max, CHUNK_CACHE_MAX / 2);
	/* A little less than three pages each. */
	chunk_cache_init(&f.cache, &f.trace, CHUNK_CACHE_MAX / (3 * PAGE));
	require(get(0, 3 * PAGE) == 1);
	assert_int_equal(f.slots[0]->size, 2 * PAGE);
	assert_int_equal(f.slots[0]->raw, 2 * PAGE);
	/* With more streams than pages, a run is at least one page. */
	chunk_cache_drop(&f.cache, f.slots[0]);
	chunk_cache_init(&f.cache, &f.trace, CHUNK_CACHE_MAX);
	require(get(0, 3 * PAGE) == 1);
	assert_int_equal(f.slots[0]->size, PAGE);
	assert_int_equal(f.slots[0]->raw, 3 * PAGE);
}

static void evicts_the_least_recently_used(void **state)
{
	static const uint8_t here;

	require_memory();
	for (size_t i = 0; i < FIT; i++) {
		assert_int_equal(get(i, 0), 1);
		f.pages[i] = &here;
	}
	for (size_t i = 0; i < FIT; i++)
		assert_non_null(f.slots[i]);
	/* Use the oldest one, a middle one and the newest. */
	assert_int_equal(get(0, 1), 1);
	assert_int_equal(get(2, 1), 1);
	assert_int_equal(get(2, 2), 1);
	assert_int_equal(get(FIT, 0), 1);
	assert_null(f.slots[1]);
	assert_null(f.pages[1]);
	assert_int_equal(get(FIT + 1, 0), 1);
	assert_null(f.slots[3]);
	assert_null(f.pages[3]);
	for (size_t i = 0; i < OWNERS; i++)
		if (i != 1 && i != 3)
			assert_non_null(f.slots[i]);
	assert_int_equal(f.cache.used, FIT * (RUN + sizeof(struct chunk_run)));
	/* The space of a dropped run is available to others. */
	chunk_cache_drop(&f.cache, f.slots[4]);
	assert_null(f.slots[4]);
	assert_int_equal(get(1, 0), 1);
	for (size_t i = 0; i < OWNERS; i++)
		if (i != 3 && i != 4)
			assert_non_null(f.slots[i]);
	chunk_cache_drop(&f.cache, NULL);
	for (size_t i = 0; i < OWNERS; i++)
		chunk_cache_drop(&f.cache, f.slots[i]);
	assert_int_equal(f.cache.used, 0);
	assert_null(f.cache.newest);
	assert_null(f.cache.oldest);
}

/* The same events in a file with and without compression; chunks have ten pages. */
static struct fathom_trace *open_events(enum compression compression, unsigned flags)
{
	struct trace_writer *w = trace_writer_new(
		&(struct trace_config){ .version = 7, .compression = compression });
	struct page_writer *p = w ? trace_writer_cpu(w, 0, 0) : NULL;
	struct fathom_trace *trace = NULL;

	for (uint64_t i = 0; p && i < 4000; i++)
		page_writer_event(p, 1000 + i * i, 5, (int32_t)i, 16);
	if (p && trace_writer_save(w, temp_path) == 0)
		fathom_trace_open(temp_path, flags, &trace, NULL);
	trace_writer_free(w);
	return trace;
}

/* Reads all bytes of the first stream. */
static int read_all(struct fathom_trace *trace, size_t n_streams, struct strbuf *bytes)
{
	struct chunk_cache cache;
	struct chunk_run *run = NULL;
	const uint8_t *page = NULL;
	struct chunk chunk = { 0 };
	uint64_t raw = 0;
	int r;

	chunk_cache_init(&cache, trace, n_streams);
	while ((r = chunk_cache_get(&cache, &trace->streams[0], raw, &chunk, &run, &page)) == 1) {
		assert_true(run->raw == raw && run->size > 0);
		strbuf_add(bytes, run->data, run->kept);
		raw += run->size;
	}
	chunk_cache_done(&cache);
	return r < 0 ? r : bytes->err;
}

static void decompresses_chunks(void **state)
{
	/* A run contains a whole chunk, or a part of one. */
	static const size_t streams[] = { 1, CHUNK_CACHE_MAX / (3 * PAGE) };
	_cleanup_(fathom_trace_free_p) struct fathom_trace *plain = NULL;
	_cleanup_strbuf_ struct strbuf wanted = { 0 };

	plain = open_events(COMPRESSION_NONE, 0);
	require(plain && read_all(plain, 1, &wanted) == 0);
	assert_true(wanted.len > 12 * PAGE);
	for (unsigned i = 0; i < 4; i++) {
		_cleanup_strbuf_ struct strbuf bytes = { 0 };
		_cleanup_(fathom_trace_free_p) struct fathom_trace *trace =
			open_events(COMPRESSION_ZSTD, i & 2 ? FATHOM_OPEN_NO_MAP : 0);

		require(trace && read_all(trace, streams[i & 1], &bytes) == 0);
		assert_int_equal(bytes.len, wanted.len);
		assert_memory_equal(bytes.s, wanted.s, wanted.len);
		assert_int_equal(fathom_trace_damage_count(trace), 0);
	}
}

/* A damaged chunk is skipped and noted once, and the next one is read. */
static void skips_damaged_chunks(void **state)
{
	_cleanup_(fathom_trace_free_p) struct fathom_trace *trace = NULL;
	struct chunk chunk = { 0 };
	uint64_t zero = 0;
	_cleanup_close_ int fd = -1;

	trace = open_events(COMPRESSION_ZSTD, FATHOM_OPEN_NO_MAP);
	require(trace);
	f.cache.trace = trace;
	require(chunk_cache_get(&f.cache, &trace->streams[0], 0, &chunk, &f.slots[0],
				&f.pages[0]) == 1);
	chunk_cache_drop(&f.cache, f.slots[0]);
	fd = open(temp_path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, &zero, sizeof(zero), (off_t)chunk.file), sizeof(zero));
	for (int i = 0; i < 2; i++) {
		require(chunk_cache_get(&f.cache, &trace->streams[0], (uint64_t)i * PAGE, &chunk,
					&f.slots[0], &f.pages[0]) == 1);
		assert_int_equal(f.slots[0]->kept, 0);
		assert_int_equal(f.slots[0]->size, 10 * PAGE);
		assert_int_equal(fathom_trace_damage_count(trace), 1);
	}
	require(chunk_cache_get(&f.cache, &trace->streams[0], 10 * PAGE, &chunk, &f.slots[0],
				&f.pages[0]) == 1);
	assert_true(f.slots[0]->kept > 0);
	assert_int_equal(f.cache.used, sizeof(struct chunk_run) + f.slots[0]->kept);
	chunk_cache_drop(&f.cache, f.slots[0]);
}

static void unreadable_data_is_empty(void **state)
{
	require(ftruncate(f.trace.source.fd, OFFSET + PAGE) == 0);
	require(get(0, PAGE) == 1);
	assert_int_equal(number_at(0, PAGE), 0);
	assert_int_equal(f.trace.file.damage.count, 1);
}

static int unpack_once(void *arg)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };

	return read_all(arg, CHUNK_CACHE_MAX / (3 * PAGE), &bytes);
}

static int get_once(void *arg)
{
	int r = get(0, 0);

	chunk_cache_drop(&f.cache, f.slots[0]);
	return r < 0 ? r : 0;
}

static void survives_failing_allocations(void **state)
{
	_cleanup_(fathom_trace_free_p) struct fathom_trace *trace = NULL;

	oom_check(get_once, NULL);
	trace = open_events(COMPRESSION_ZSTD, FATHOM_OPEN_NO_MAP);
	require(trace);
	oom_check(unpack_once, trace);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, make, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_runs),
		TEST(runs_consist_of_whole_pages),
		TEST(evicts_the_least_recently_used),
		TEST(decompresses_chunks),
		TEST(skips_damaged_chunks),
		TEST(unreadable_data_is_empty),
		TEST(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings of a tree that imitates a machine. Rings are files, which end where a ring would be
 * empty.
 */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include <fathom/fathom.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "format/bytes.h"
#include "format/file/trace-file.h"
#include "page-writer.h"
#include "record/recorder.h"
#include "temp-file.h"

#define PAGE 4096
#define STATS                                                                           \
	"entries: 2\noverrun: 3\nbytes: %u\nnow ts: 9.000001\ndropped events: 4\nread " \
	"events: 100\n"

struct bench {
	int top, other, file;
	char root[32];
	struct recorder_buffer buffers[2];
	struct recorder_spec spec;
};

/*
 * A ring with a page for each 1,000 ns, each with ten events: one at its start, and one every 10
 * ns.
 */
static void fill(const char *dir, unsigned cpu, unsigned pages, unsigned waiting)
{
	struct page_writer w;
	char path[128], stats[160];
	int fd;

	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", dir, cpu);
	snprintf(stats, sizeof(stats), STATS, waiting);
	tree_file(path, stats);
	page_writer_init(&w, PAGE, sizeof(long), BYTES_HOST_BIG);
	for (unsigned i = 0; i < pages; i++) {
		for (unsigned k = 0; k < 10; k++)
			page_writer_event(&w, 1000 * (i + 1) + cpu + 10 * k, 5, 7, 16);
		page_writer_close_page(&w);
	}
	snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", dir, cpu);
	tree_file(path, "");
	fd = openat(tree_fd(), path + 1, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0 && (w.pages.err || write(fd, w.pages.s, w.pages.len) >= 0));
	close(fd);
	page_writer_done(&w);
}

static void make_machine(void)
{
	tree_file("/t/events/header_page",
		  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
	tree_file("/t/instances/other/events/header_page",
		  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
	tree_file("/t/events/header_event", "# compressed entry header\n");
	tree_file("/t/instances/other/events/header_event", "# compressed entry header\n");
	tree_file("/t/events/sched/sched_switch/format", "name: sched_switch\nID: 5\n");
	tree_file("/t/events/ftrace/function/format", "name: function\nID: 1\n");
	tree_file("/t/printk_formats", "");
	tree_file("/t/set_event", "sched:sched_switch\n");
	tree_file("/t/instances/other/set_event", "");
	tree_file("/t/available_events", "sched:sched_switch\n");
	tree_file("/t/trace_clock", "local [mono]\n");
	tree_file("/t/instances/other/trace_clock", "[global] mono\n");
	tree_file("/t/saved_cmdlines", "7 seven\n");
	tree_file("/t/saved_cmdlines_size", "128\n");
	tree_file("/proc/kallsyms", "ffff0000 T here\n");
	tree_file("/proc/9/stat", "9 (nine) S 1 1 1 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 1 0 5\n");
	fill("/t", 0, 5, 100);
	fill("/t", 2, 3, 700);
	fill("/t/instances/other", 0, 2, 300);
}

static void bench_init(struct bench *bench)
{
	make_machine();
	*bench = (struct bench){
		.top = openat(tree_fd(), "t", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.other = openat(tree_fd(), "t/instances/other", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.file = open(temp_path, O_RDWR | O_TRUNC | O_CLOEXEC),
	};
	assert_true(bench->top >= 0 && bench->other >= 0 && bench->file >= 0);
	bench->buffers[0] = (struct recorder_buffer){ .name = "", .place = bench->top };
	bench->buffers[1] = (struct recorder_buffer){ .name = "other", .place = bench->other };
	snprintf(bench->root, sizeof(bench->root), "/proc/self/fd/%d", tree_fd());
	bench->spec = (struct recorder_spec){ .root = bench->root,
					      .tracefs = bench->top,
					      .fd = bench->file,
					      .buffers = bench->buffers,
					      .n_buffers = 2,
					      .info = "before: 1\n" };
}

static void bench_done(struct bench *bench)
{
	close(bench->top);
	close(bench->other);
	close(bench->file);
}

/* Waits for at most ten seconds. */
static bool arrives(struct recorder *recorder, uint64_t pages)
{
	for (int i = 0; i < 10000 && recorder_bytes(recorder) < pages * PAGE; i++)
		usleep(1000);
	return recorder_bytes(recorder) == pages * PAGE;
}

static size_t count_events(struct fathom_trace *trace)
{
	struct fathom_cursor *cursor;
	struct fathom_event event;
	size_t n = 0;

	assert_int_equal(fathom_cursor_new(trace, NULL, &cursor, NULL), 0);
	while (fathom_cursor_next(cursor, &event) > 0)
		n++;
	fathom_cursor_free(cursor);
	return n;
}

/* Returns the text of option @id number @n, counted from 0. */
static const char *option_of(const struct fathom_trace *trace, unsigned id, unsigned n)
{
	struct fathom_trace_option option;

	for (size_t i = 0; fathom_trace_option(trace, i, &option) == 0; i++)
		if (option.id == id && n-- == 0)
			return option.data;
	return "(none)";
}

/* Checks the names from saved_cmdlines and of current tasks. */
static void check_names(void)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };

	assert_int_equal(file_read(AT_FDCWD, temp_path, &bytes), 0);
	assert_non_null(memmem(bytes.s, bytes.len, "7 seven\n9 nine\n", 15));
}

static void check_file(size_t events)
{
	struct fathom_trace_buffer buffer;
	struct fathom_trace *trace;

	assert_int_equal(fathom_trace_open(temp_path, 0, &trace, NULL), 0);
	assert_int_equal(fathom_trace_damage_count(trace), 0);
	assert_int_equal(count_events(trace), events);
	assert_int_equal(fathom_trace_buffer(trace, 0, &buffer), 0);
	assert_string_equal(buffer.clock, "mono");
	assert_int_equal(buffer.cpus, 2);
	assert_int_equal(fathom_trace_buffer(trace, 1, &buffer), 0);
	assert_string_equal(buffer.name, "other");
	assert_string_equal(buffer.clock, "global");
	assert_int_equal(buffer.cpus, 1);
	check_names();
	assert_string_equal(option_of(trace, TRACE_ID_FATHOM_INFO, 0), "before: 1\n");
	assert_string_equal(option_of(trace, TRACE_ID_FATHOM_INFO, 1), "after: 2\n");
	assert_int_equal(load_u32(option_of(trace, TRACE_ID_CPUCOUNT, 0), BYTES_HOST_BIG), 3);
	assert_memory_equal(option_of(trace, TRACE_ID_CPUSTAT, 0), "CPU: 0\nentries: 2\n", 18);
	assert_memory_equal(option_of(trace, TRACE_ID_CPUSTAT, 1), "CPU: 2\nentries: 2\n", 18);
	assert_memory_equal(option_of(trace, TRACE_ID_CPUSTAT, 2),
			    "\nBuffer: other\n\nCPU: 0\nentries: 2\n", 34);
	fathom_trace_free(trace);
}

static void check_totals(const struct recorder_totals *totals)
{
	assert_int_equal(totals->n_cpus, 3);
	assert_int_equal(totals->bytes, 10 * PAGE);
	assert_int_equal(totals->events, 300);
	assert_int_equal(totals->lost, 21);
	assert_int_equal(totals->fullest, 700);
	assert_int_equal(totals->cpus[1].cpu, 2);
	assert_int_equal(totals->cpus[1].bytes, 3 * PAGE);
	assert_int_equal(totals->cpus[1].made, 100 + 2 + 7);
	assert_int_equal(totals->cpus[1].waiting, 700);
	assert_string_equal(totals->cpus[1].buffer, "");
	assert_string_equal(totals->cpus[2].buffer, "other");
}

static void records_all_rings(void **state)
{
	struct recorder *recorder = NULL;
	struct recorder_totals totals;
	struct trace_out_result result;
	struct bench bench;
	size_t n;

	require_memory();
	bench_init(&bench);
	assert_int_equal(recorder_new(&bench.spec, &recorder, NULL), 0);
	recorder_threads(recorder, &n);
	assert_int_equal(n, 3);
	recorder_go(recorder);
	assert_true(arrives(recorder, 10));
	assert_int_equal(recorder_tick(recorder), 0);
	assert_int_equal(recorder_stop(recorder, &totals, NULL), 0);
	check_totals(&totals);
	assert_int_equal(recorder_finish(recorder, "after: 2\n", NULL, 0, &result, NULL), 0);
	recorder_free(recorder);
	check_file(100);
	bench_done(&bench);
}

static void a_flight_recorder_reads_at_the_end(void **state)
{
	struct recorder *recorder = NULL;
	struct recorder_totals totals;
	struct trace_out_result result;
	struct bench bench;

	require_memory();
	bench_init(&bench);
	bench.spec.keep_rings = true;
	assert_int_equal(recorder_new(&bench.spec, &recorder, NULL), 0);
	recorder_go(recorder);
	assert_int_equal(recorder_tick(recorder), 0);
	usleep(20000);
	assert_int_equal(recorder_bytes(recorder), 0);
	assert_int_equal(recorder_stop(recorder, &totals, NULL), 0);
	check_totals(&totals);
	/*
	 * From 3500 on: each CPU keeps the page that contains this time, the oldest of which starts
	 * at 2000.
	 */
	assert_int_equal(recorder_keep_last(recorder, 1500), 3000);
	assert_int_equal(recorder_finish(recorder, "after: 2\n", NULL, 0, &result, NULL), 0);
	recorder_free(recorder);
	check_file(50);
	bench_done(&bench);
}

static int refuse(void *data, struct fathom_err *err)
{
	return *(int *)data;
}

static void stops_if_the_caller_refuses(void **state)
{
	struct recorder *recorder = NULL;
	int answer = -EPERM;
	struct bench bench;

	require_memory();
	bench_init(&bench);
	bench.spec.described = refuse;
	bench.spec.described_data = &answer;
	assert_int_equal(recorder_new(&bench.spec, &recorder, NULL), -EPERM);
	assert_null(recorder);
	bench_done(&bench);
}

static void reports_missing_requirements(void **state)
{
	struct fathom_err err = { 0 };
	struct recorder *recorder = NULL;
	struct bench bench;

	require_memory();
	bench_init(&bench);
	tree_unlink("/t/instances/other/trace_clock");
	assert_int_equal(recorder_new(&bench.spec, &recorder, &err), -ENOENT);
	assert_non_null(strstr(err.message, "trace_clock"));
	bench_done(&bench);
}

#define WITH_TREE(test) cmocka_unit_test_setup_teardown(test, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TREE(records_all_rings),
		WITH_TREE(a_flight_recorder_reads_at_the_end),
		WITH_TREE(stops_if_the_caller_refuses),
		WITH_TREE(reports_missing_requirements),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}

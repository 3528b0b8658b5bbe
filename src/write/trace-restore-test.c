/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "write/trace-restore.h"

#include <fcntl.h>
#include <unistd.h>

#include <fathom/fathom.h>

#include "base/cleanup.h"
#include "read/trace.h"
#include "test.h"
#include "trace-writer.h"

static char head_path[] = "/tmp/fathom-head-XXXXXX", out[] = "/tmp/fathom-restored-XXXXXX";
static char pages[2][32] = { "/tmp/fathom-cpu-XXXXXX", "/tmp/fathom-cpu-XXXXXX" };

static void finds_cpus_and_buffers_by_name(void **state)
{
	struct trace_restore_file files[] = {
		{ .path = "/a/trace.dat.cpu10" },     { .path = "/a/trace.dat.irqs.cpu2" },
		{ .path = "/a/trace.dat.cpu2" },      { .path = "/a/trace.dat.my.buf.cpu0" },
		{ .path = "/a/trace.dat.irqs.cpu0" },
	};
	static const struct {
		const char *buffer;
		uint32_t cpu;
	} want[] = { { "", 2 }, { "", 10 }, { "irqs", 0 }, { "irqs", 2 }, { "my.buf", 0 } };
	struct arena arena = { 0 };

	if (succeeds(trace_restore_names(files, ARRAY_SIZE(files), &arena, NULL) == 0))
		for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
			assert_string_equal(files[i].buffer, want[i].buffer);
			assert_int_equal(files[i].cpu, want[i].cpu);
		}
	arena_done(&arena);
}

static void numbers_files_without_such_names(void **state)
{
	static const char *const lists[][3] = {
		{ "b", "a", "c" },
		{ "x.cpu1", "x.cpu", "x.cpu0" },
		{ "x.cpu1", "y.cpu0", "x.cpu9999999" },
		{ ".cpu5", ".cpu6", ".cpu7" },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct trace_restore_file files[3] = { 0 };

		for (size_t k = 0; k < 3; k++)
			files[k].path = lists[i][k];
		assert_int_equal(trace_restore_names(files, 3, &arena, NULL), 0);
		for (uint32_t k = 0; k < 3; k++) {
			assert_string_equal(files[k].buffer, "");
			assert_string_equal(files[k].path, lists[i][k]);
			assert_int_equal(files[k].cpu, k);
		}
	}
	arena_done(&arena);
}

static void rejects_two_files_for_one_cpu(void **state)
{
	struct trace_restore_file files[] = { { .path = "t.cpu1" }, { .path = "t.cpu01" } };
	struct fathom_err err = { 0 };
	struct arena arena = { 0 };

	assert_int_equal(trace_restore_names(files, 2, &arena, &err), -EINVAL);
	assert_non_null(strstr(fathom_err_text(&err), "are both for CPU 1"));
	arena_done(&arena);
}

static int save_pages(const char *path, unsigned cpu, uint32_t events)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), r;
	struct page_writer w;

	page_writer_init(&w, 4096, 8, false);
	for (uint32_t i = 0; i < events; i++)
		page_writer_event(&w, 1000 + i, 1, (int32_t)cpu, 24);
	page_writer_close_page(&w);
	r = w.pages.err;
	if (r == 0 && w.pages.len)
		assert_int_equal(write(fd, w.pages.s, w.pages.len), w.pages.len);
	page_writer_done(&w);
	close(fd);
	return r;
}

static int make_head(unsigned version)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = version });
	struct page_writer *p = w ? trace_writer_cpu(w, 0, 0) : NULL;
	int r = p ? 0 : -ENOMEM;

	/* Events of the head are not restored. */
	if (p)
		page_writer_event(p, 5, 1, 777, 16);
	if (r == 0)
		r = trace_writer_save(w, head_path);
	trace_writer_free(w);
	return r;
}

static int restore(void *arg)
{
	struct trace_restore_file files[] = { { .path = pages[0] }, { .path = pages[1] } };
	struct trace_dat_options options = { .as_it_is = true };
	struct trace_dat_writer *writer = NULL;
	struct trace_dat_plan plan = { 0 };
	struct fathom_trace *head = NULL;
	struct arena arena = { 0 };
	_cleanup_close_ int fd = open(out, O_RDWR | O_TRUNC | O_CLOEXEC);
	int r = trace_restore_names(files, 2, &arena, NULL);

	for (size_t i = 0; i < 2; i++) {
		files[i].fd = open(files[i].path, O_RDONLY | O_CLOEXEC);
		files[i].size = (uint64_t)lseek(files[i].fd, 0, SEEK_END);
	}
	if (r == 0)
		r = fathom_trace_open(head_path, 0, &head, NULL);
	if (r == 0)
		r = trace_restore_plan(&plan, head, files, 2, arg);
	if (r == 0)
		r = trace_dat_writer_new(&options, 0, &writer, NULL);
	if (r == 0)
		r = trace_dat_write(writer, &plan, fd, NULL);
	trace_dat_writer_free(writer);
	trace_dat_plan_done(&plan);
	fathom_trace_free(head);
	arena_done(&arena);
	close(files[0].fd);
	close(files[1].fd);
	return r;
}

static void joins_pages_and_head(void **state)
{
	for (unsigned version = 6; version <= 7; version++) {
		struct fathom_cursor *cursor;
		struct fathom_trace *trace;
		struct fathom_event event;
		unsigned n[2] = { 0 };

		if (make_head(version) < 0 || save_pages(pages[0], 0, 500) < 0 ||
		    save_pages(pages[1], 1, 300) < 0 || restore(NULL) < 0 ||
		    fathom_trace_open(out, 0, &trace, NULL) < 0)
			continue;
		assert_int_equal(fathom_trace_info(trace)->version, version);
		assert_int_equal(fathom_trace_info(trace)->cpus, 2);
		if (succeeds(fathom_cursor_new(trace, NULL, &cursor, NULL) == 0)) {
			while (fathom_cursor_next(cursor, &event) == 1) {
				assert_int_equal(event.cpu, (uint32_t)event.pid);
				n[event.cpu]++;
			}
			assert_int_equal(n[0], 500);
			assert_int_equal(n[1], 300);
			fathom_cursor_free(cursor);
		}
		fathom_trace_free(trace);
	}
}

static void accepts_empty_and_truncated_files(void **state)
{
	require(make_head(7) >= 0 && save_pages(pages[0], 0, 500) >= 0 &&
		save_pages(pages[1], 1, 0) >= 0);
	assert_int_equal(truncate(pages[0], 4096 + 100), 0);
	if (succeeds(restore(NULL) == 0)) {
		struct fathom_trace_cpu cpu;
		struct fathom_trace *trace;

		require(fathom_trace_open(out, 0, &trace, NULL) >= 0);
		assert_int_equal(fathom_trace_buffer_cpu(trace, 0, 0, &cpu), 0);
		assert_int_equal(cpu.size, 2 * 4096);
		assert_int_equal(fathom_trace_buffer_cpu(trace, 0, 1, &cpu), -ENOENT);
		fathom_trace_free(trace);
	}
}

static void rejects_other_files(void **state)
{
	struct fathom_err err = { 0 };
	int fd, r;

	require(make_head(7) >= 0 && save_pages(pages[0], 0, 500) >= 0);
	fd = open(pages[1], O_WRONLY | O_TRUNC | O_CLOEXEC);
	for (unsigned i = 0; i < 300; i++)
		assert_int_equal(write(fd, "this is the text of something", 29), 29);
	close(fd);
	r = restore(&err);
	assert_true(r == -EINVAL || r == -ENOMEM);
	if (r == -EINVAL)
		assert_non_null(strstr(fathom_err_text(&err), "is not per-CPU trace data"));
}

static void survives_failing_allocations(void **state)
{
	if (succeeds(make_head(7) == 0 && save_pages(pages[0], 0, 500) == 0 &&
		     save_pages(pages[1], 1, 300) == 0))
		oom_check(restore, NULL);
}

static int make_files(void **state)
{
	char *const paths[] = { head_path, out, pages[0], pages[1] };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		int fd = mkstemp(paths[i]);

		if (fd < 0 || close(fd) < 0)
			return -1;
	}
	return 0;
}

static int remove_files(void **state)
{
	return unlink(head_path) | unlink(out) | unlink(pages[0]) | unlink(pages[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_cpus_and_buffers_by_name),
		cmocka_unit_test(numbers_files_without_such_names),
		cmocka_unit_test(rejects_two_files_for_one_cpu),
		cmocka_unit_test(joins_pages_and_head),
		cmocka_unit_test(accepts_empty_and_truncated_files),
		cmocka_unit_test(rejects_other_files),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}

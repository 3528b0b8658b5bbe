/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random splits of random files are in tests/write. */
#include "write/trace-split.h"

#include <fcntl.h>
#include <unistd.h>

#include <fathom/fathom.h>

#include "base/cleanup.h"
#include "read/trace.h"
#include "test.h"
#include "trace-writer.h"

static char in[] = "/tmp/fathom-split-in-XXXXXX", out[] = "/tmp/fathom-split-out-XXXXXX";

/* 300 events, one per nanosecond: of every three, the last two are in the buffers "a" and "b". */
static int make(void)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	int r = w ? 0 : -ENOMEM;

	if (w) {
		trace_writer_buffer(w, "a");
		trace_writer_buffer(w, "b");
	}
	for (unsigned i = 0; i < 300 && r == 0; i++) {
		struct page_writer *p = trace_writer_cpu(w, i % 3, i / 3 % 2);

		r = p ? 0 : -ENOMEM;
		if (p)
			page_writer_event(p, 1000 + i, 1, (int32_t)i, 16);
	}
	if (r == 0)
		r = trace_writer_save(w, in);
	trace_writer_free(w);
	return r;
}

/* Writes the first piece. Returns 0 or a negative errno. */
static int split_one(void *arg)
{
	struct trace_dat_options dat = { .as_it_is = true };
	struct trace_dat_writer *writer = NULL;
	const struct trace_dat_plan *plan;
	struct trace_split *split = NULL;
	struct fathom_trace *trace = NULL;
	_cleanup_close_ int fd = open(out, O_RDWR | O_TRUNC | O_CLOEXEC);
	int r = fathom_trace_open(in, 0, &trace, NULL);

	if (r == 0)
		r = trace_dat_writer_new(&dat, 0, &writer, NULL);
	if (r == 0)
		r = trace_split_new(trace, arg, &split, NULL);
	if (r == 0)
		r = trace_split_next(split, &plan, NULL);
	if (r >= 0)
		r = trace_dat_write(writer, plan, fd, NULL);
	trace_split_free(split);
	trace_dat_writer_free(writer);
	fathom_trace_free(trace);
	return r;
}

/* Returns the number of events written and the PID of the first one; -1 without memory. */
static int count(const char *buffer, int32_t *ret_first)
{
	struct fathom_trace_buffer found;
	struct fathom_cursor *cursor = NULL;
	struct fathom_trace *trace;
	struct fathom_event event;
	int n = 0, r;

	if (fathom_trace_open(out, 0, &trace, NULL) < 0)
		return -1;
	r = fathom_cursor_new(trace, NULL, &cursor, NULL);
	while (r == 0 && fathom_cursor_next(cursor, &event) == 1) {
		if (!n && ret_first)
			*ret_first = event.pid;
		fathom_trace_buffer(trace, event.buffer, &found);
		n += !buffer || strcmp(found.name, buffer) == 0;
	}
	fathom_cursor_free(cursor);
	fathom_trace_free(trace);
	return r < 0 ? -1 : n;
}

static void holds(struct trace_split_options *options, const char *buffer, int events)
{
	int r = split_one(options), n;

	assert_true(r == 0 || r == -ENOMEM);
	if (r < 0)
		return;
	n = count(buffer, NULL);
	if (n != -1)
		assert_int_equal(n, events);
}

static void extracts_a_window(void **state)
{
	struct trace_split_options options = { .from = 1010, .to = 1019 };
	int32_t first = 10;

	require(make() >= 0);
	holds(&options, NULL, 10);
	if (count(NULL, &first) != -1)
		assert_int_equal(first, 10);
	options.to = UINT64_MAX;
	holds(&options, NULL, 290);
	options = (struct trace_split_options){ .to = UINT64_MAX, .has_cpu = true, .cpu = 1 };
	holds(&options, NULL, 150);
	options.from = 5000;
	holds(&options, NULL, 0);
	options = (struct trace_split_options){
		.from = 1000, .to = UINT64_MAX, .unit = TRACE_SPLIT_TIME, .count = 50
	};
	holds(&options, NULL, 51);
}

static void selects_and_renames_buffers(void **state)
{
	struct trace_split_buffer a = { "a", "a" }, top_is_a[] = { { "", "old" }, { "a", "" } };
	struct trace_split_options options = { .to = UINT64_MAX, .buffers = &a, .n_buffers = 1 };

	require(make() >= 0);
	holds(&options, NULL, 100);
	holds(&options, "a", 100);
	options.buffers = top_is_a;
	options.n_buffers = 2;
	holds(&options, NULL, 200);
	holds(&options, "", 100);
	holds(&options, "old", 100);
}

static void reports_missing_buffers(void **state)
{
	struct trace_split_buffer none = { "none", "none" }, both[] = { { "a", "" }, { "b", "" } };
	struct trace_split_options options = { .buffers = &none, .n_buffers = 1 };
	int r;

	require(make() >= 0);
	r = split_one(&options);
	assert_true(r == -ENOENT || r == -ENOMEM);
	options.buffers = both;
	options.n_buffers = 2;
	r = split_one(&options);
	assert_true(r == -EINVAL || r == -ENOMEM);
	options = (struct trace_split_options){ .has_cpu = true, .cpu = 7 };
	r = split_one(&options);
	assert_true(r == -ENOENT || r == -ENOMEM);
}

static void survives_failing_allocations(void **state)
{
	struct trace_split_options all[] = {
		{ .from = 1050, .to = 1200 },
		{ .to = UINT64_MAX, .unit = TRACE_SPLIT_EVENTS, .count = 77 },
		{ .to = UINT64_MAX, .unit = TRACE_SPLIT_PAGES, .count = 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all) && make() == 0; i++)
		oom_check(split_one, &all[i]);
}

static int make_files(void **state)
{
	int a = mkstemp(in), b = mkstemp(out);

	if (a < 0 || b < 0)
		return -1;
	close(a);
	return close(b);
}

static int remove_files(void **state)
{
	return unlink(in) | unlink(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extracts_a_window),
		cmocka_unit_test(selects_and_renames_buffers),
		cmocka_unit_test(reports_missing_buffers),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <unistd.h>

#include <fathom/fathom.h>

#include "base/cleanup.h"
#include "trace-writer.h"
#include "tui/event-list.h"

#define N 3000

static char path[] = "/tmp/fathom-event-list-XXXXXX";

/* Event i has the pid i; some have the same time as the one before. */
static int make(void)
{
	struct trace_config config = { .version = 7, .compression = COMPRESSION_NONE };
	struct trace_writer *w = trace_writer_new(&config);
	int r = w ? 0 : -ENOMEM;

	for (unsigned i = 0; i < N && r == 0; i++) {
		struct page_writer *p = trace_writer_cpu(w, 0, i / 2 % 3 ? 0 : 1);

		r = p ? 0 : -ENOMEM;
		if (p)
			page_writer_event(p, 1000 + 10 * (uint64_t)(i - i % 2), 1, (int32_t)i, 16);
	}
	if (r == 0)
		r = trace_writer_save(w, path);
	trace_writer_free(w);
	return r;
}

/* Shows only events whose pid is a multiple. */
static bool is_multiple(void *data, const struct fathom_event *event)
{
	return event->pid % *(int *)data == 0;
}

/* Works in small slices until everything is done. */
static int settle(struct event_list *list)
{
	int r;

	while ((r = event_list_work(list, 0)) == 1)
		;
	return r;
}

/* Checks that the rows are those around event number @selected of the shown events. */
static void check_rows(const struct event_list *list, int step, int64_t selected, int rows)
{
	int64_t n = (N + step - 1) / step;
	int64_t first = event_list_row(list, 0)->pid / step;

	assert_int_equal(list->n, n < rows ? n : rows);
	for (unsigned i = 0; i < list->n; i++)
		assert_int_equal(event_list_row(list, i)->pid, (first + i) * step);
	assert_int_equal(first + list->selected, selected);
}

static int64_t clamp(int64_t i, int64_t n)
{
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Moves at random; a counter says where the selection must be. */
static int walk(struct event_list *list, int step, unsigned seed)
{
	int64_t n = (N + step - 1) / step, at = 0;
	int rows = 20, r = 0;

	event_list_resize(list, (unsigned)rows);
	for (unsigned i = 0; r == 0 && i < 400; i++) {
		int64_t lines;

		seed = seed * 1103515245 + 12345;
		switch (seed >> 16 & 7) {
		case 0:
			r = event_list_first(list);
			at = 0;
			break;
		case 1:
			r = event_list_last(list);
			at = n - 1;
			break;
		case 2:
			/*
			 * Both events of a pair have this time; the first visible one is selected.
			 */
			lines = (seed >> 20) % N;
			r = event_list_seek(list, 1000 + 10 * (uint64_t)lines);
			lines += lines % 2;
			at = clamp((lines + step - 1) / step, n);
			break;
		case 3:
			rows = 1 + (int)((seed >> 20) % 60);
			event_list_resize(list, (unsigned)rows);
			break;
		default:
			lines = (int64_t)((seed >> 20) % 160) - 80;
			if (seed >> 19 & 1)
				lines = lines > 0 ? 1 : -1;
			event_list_move(list, lines);
			at = clamp(at + lines, n);
			break;
		}
		r = r < 0 ? r : settle(list);
		if (r == 0)
			check_rows(list, step, at, rows);
	}
	return r;
}

static int show(int step, unsigned seed)
{
	_cleanup_(fathom_trace_free_p) struct fathom_trace *trace = NULL;
	_cleanup_(report_free_p) struct report *report = NULL;
	static const struct report_options plain;
	struct fathom_window window = FATHOM_WINDOW_ALL;
	struct event_list list;
	int r = fathom_trace_open(path, 0, &trace, NULL);

	if (r == 0)
		r = report_new(trace, &plain, NULL, &report, NULL);
	if (r == 0)
		r = event_list_init(&list,
				    &(struct event_list_options){ .trace = trace,
								  .report = report,
								  .window = &window,
								  .wanted = step > 1 ? is_multiple :
										       NULL,
								  .wanted_data = &step },
				    NULL);
	if (r < 0)
		return r;
	r = walk(&list, step, seed);
	/* In this case, a text may be incomplete. */
	if (r == 0 && report_nomem(report))
		r = -ENOMEM;
	event_list_done(&list);
	return r;
}

static void shows_events(void **state)
{
	static const int steps[] = { 1, 2, 7, 100, N };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		assert_int_equal(show(steps[i], (unsigned)i + 1), 0);
}

static int show_once(void *arg)
{
	return show(7, 1);
}

static void survives_failing_allocations(void **state)
{
	oom_check(show_once, NULL);
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return -1;
	close(fd);
	return make();
}

static int teardown(void **state)
{
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_events),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}

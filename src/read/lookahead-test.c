/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fathom/fathom.h>

#include "read/lookahead.h"
#include "temp-file.h"
#include "trace-writer.h"

static int add(struct trace_writer *w, unsigned buffer, unsigned cpu, uint64_t time, int32_t pid)
{
	struct page_writer *p = trace_writer_cpu(w, buffer, cpu);

	if (!p)
		return -ENOMEM;
	page_writer_event(p, time, 1, pid, 16);
	return 0;
}

/* Times and PIDs are the same numbers. The second buffer has the even ones. */
static struct fathom_trace *make(bool two_buffers)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	struct fathom_trace *trace = NULL;
	unsigned other = 0;
	int r = w ? 0 : -ENOMEM;

	if (w && two_buffers)
		other = trace_writer_buffer(w, "other");
	for (int i = 1; r == 0 && i <= 8; i++)
		r = add(w, i % 2 ? 0 : other, 0, (uint64_t)i, i);
	if (r == 0)
		r = trace_writer_save(w, temp_path);
	trace_writer_free(w);
	if (r == 0)
		r = fathom_trace_open(temp_path, 0, &trace, NULL);
	assert_int_equal(r, 0);
	return trace;
}

static void expect(struct lookahead *l, struct fathom_event *event, int32_t pid)
{
	assert_int_equal(lookahead_next(l, event), 1);
	assert_int_equal(event->pid, pid);
}

static void returns_the_next_event(void **state)
{
	struct fathom_trace *trace = make(false);
	struct fathom_event event, next;
	struct lookahead l;

	assert_int_equal(lookahead_init(&l, trace, NULL, NULL), 0);
	expect(&l, &event, 1);
	assert_int_equal(lookahead_peek(&l, &event, &next), 1);
	assert_int_equal(next.pid, 2);
	/* The current event's data is still valid. */
	assert_int_equal(((const uint8_t *)event.data)[4], 1);
	expect(&l, &event, 2);
	assert_int_equal(lookahead_peek(&l, &event, &next), 1);
	lookahead_take(&l, &event);
	for (int i = 4; i <= 8; i++)
		expect(&l, &event, i);
	assert_int_equal(lookahead_peek(&l, &event, &next), 0);
	assert_int_equal(lookahead_next(&l, &event), 0);
	lookahead_done(&l);
	fathom_trace_free(trace);
}

static void looks_ahead_in_the_same_buffer(void **state)
{
	struct fathom_trace *trace = make(true);
	struct fathom_event event, next;
	struct lookahead l;

	assert_int_equal(lookahead_init(&l, trace, NULL, NULL), 0);
	expect(&l, &event, 1);
	expect(&l, &event, 2);
	expect(&l, &event, 3);
	assert_int_equal(lookahead_peek(&l, &event, &next), 1);
	assert_int_equal(next.pid, 5);
	lookahead_take(&l, &event);
	expect(&l, &event, 4);
	assert_int_equal(lookahead_peek(&l, &event, &next), 1);
	assert_int_equal(next.pid, 6);
	expect(&l, &event, 6);
	expect(&l, &event, 7);
	assert_int_equal(lookahead_peek(&l, &event, &next), 0);
	expect(&l, &event, 8);
	assert_int_equal(lookahead_next(&l, &event), 0);
	lookahead_done(&l);
	fathom_trace_free(trace);
}

static int look(void *arg)
{
	struct fathom_event event, next;
	struct lookahead l;
	int r = lookahead_init(&l, arg, NULL, NULL);

	if (r < 0)
		return r;
	while ((r = lookahead_next(&l, &event)) > 0 && (r = lookahead_peek(&l, &event, &next)) >= 0)
		;
	lookahead_done(&l);
	return r;
}

static void survives_failing_allocations(void **state)
{
	for (int two = 0; two < 2; two++) {
		struct fathom_trace *trace = make(two);

		oom_check(look, trace);
		fathom_trace_free(trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_the_next_event),
		cmocka_unit_test(looks_ahead_in_the_same_buffer),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}

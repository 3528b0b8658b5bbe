/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fathom/fathom.h>

#include "format/file/trace-file.h"
#include "read/context/lost-events.h"
#include "temp-file.h"
#include "trace-writer.h"

/* Checks what @lost and @more become for a file with this note. */
static void expect(const char *note, const struct fathom_window *window, uint64_t lost, bool more,
		   uint64_t wanted, bool wanted_more)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	struct fathom_trace *trace = NULL;
	int r;

	assert_non_null(w);
	if (note)
		trace_writer_option(w, TRACE_ID_FATHOM_INFO, note, (uint32_t)strlen(note) + 1);
	r = trace_writer_save(w, temp_path);
	trace_writer_free(w);
	if (r == 0)
		r = fathom_trace_open(temp_path, 0, &trace, NULL);
	assert_int_equal(r, 0);
	lost_events_settle(trace, window, &lost, &more);
	assert_int_equal(lost, wanted);
	assert_int_equal(more, wanted_more);
	fathom_trace_free(trace);
}

static void the_recorded_count_is_used(void **state)
{
	const struct fathom_window all = FATHOM_WINDOW_ALL;

	expect("session: 1\nlost: 521187\ncomplete: no\n", &all, 374942, false, 521187, false);
	expect("lost: 521187\n", &all, 374942, true, 521187, false);
	expect("lost: 5\n", &all, 0, false, 5, false);
	expect("lost: 0\n", &all, 0, false, 0, false);
}

static void without_a_count_gaps_are_summed(void **state)
{
	const struct fathom_window all = FATHOM_WINDOW_ALL;

	expect(NULL, &all, 7, true, 7, true);
	expect("events: 3\nlost: \n", &all, 7, false, 7, false);
	/* A smaller number cannot be right. */
	expect("lost: 3\n", &all, 7, false, 7, false);
	expect("lost: 7\n", &all, 7, true, 7, true);
}

static void a_window_sums_its_own_gaps(void **state)
{
	struct fathom_window part = FATHOM_WINDOW_ALL;

	part.from = 1000;
	expect("lost: 100\n", &part, 7, false, 7, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_recorded_count_is_used),
		cmocka_unit_test(without_a_count_gaps_are_summed),
		cmocka_unit_test(a_window_sums_its_own_gaps),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}

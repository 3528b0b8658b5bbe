/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include <fathom/fathom.h>

#include "format/file/trace-file.h"
#include "read/context/followed.h"
#include "temp-file.h"
#include "trace-writer.h"

/* Creates a file of a machine with 8 CPUs, with the notes up to NULL, each in an option. */
static int make(const char *const *notes)
{
	struct trace_writer *w = trace_writer_new(&(struct trace_config){ .version = 7 });
	int r = w ? 0 : -ENOMEM;

	if (r == 0)
		trace_writer_option(w, TRACE_ID_CPUCOUNT, (uint8_t[]){ 8, 0, 0, 0 }, 4);
	for (; r == 0 && *notes; notes++)
		trace_writer_option(w, TRACE_ID_FATHOM_INFO, *notes, (uint32_t)strlen(*notes) + 1);
	if (r == 0)
		r = trace_writer_save(w, temp_path);
	trace_writer_free(w);
	return r;
}

static int read_it(void *arg)
{
	struct followed *followed = arg;
	struct fathom_trace *trace;
	int r = fathom_trace_open(temp_path, 0, &trace, NULL);

	if (r < 0)
		return r;
	followed_done(followed);
	r = followed_read(trace, followed);
	fathom_trace_free(trace);
	return r;
}

static void reads_recorded_tasks(void **state)
{
	static const char *const notes[] = {
		"command: x pids: 3\nsession: 1\npids: 149 2147483647 150\nchildren: yes\n",
		"events: 3\nuntraced: 20 21\nown-cpu: 0.001500 seconds\n", NULL
	};
	struct followed followed = { 0 };

	if (succeeds(make(notes) == 0 && read_it(&followed) == 0)) {
		assert_int_equal(followed.n, 3);
		assert_int_equal(followed.pids[0], 149);
		assert_int_equal(followed.pids[1], INT32_MAX);
		assert_int_equal(followed.pids[2], 150);
		assert_true(followed.children);
		assert_int_equal(followed.n_untraced, 2);
		assert_int_equal(followed.untraced[0], 20);
		assert_int_equal(followed.untraced[1], 21);
		assert_int_equal(followed.hidden_ns, 1500000);
	}
	followed_done(&followed);
}

/* The recorder has one thread per CPU, and notes them in the order in which it started them. */
static void excludes_only_the_recorder(void **state)
{
	static const char *const notes[] = { "recorder: 70 12 50\n",
					     "untraced: 13 2147483647 50 11\n", NULL };
	static const int32_t recorder[] = { 11, 12, 13, 50, 70, INT32_MAX };
	static const int32_t others[] = { -1, 0, 1, 10, 14, 49, 51, 69, 71, INT32_MAX - 1 };
	struct followed followed = { 0 };

	assert_false(followed_leaves_out(&followed, 0));
	assert_int_equal(make(notes), 0);
	assert_int_equal(read_it(&followed), 0);
	for (size_t i = 0; i < sizeof(recorder) / sizeof(recorder[0]); i++)
		assert_true(followed_leaves_out(&followed, recorder[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(followed_leaves_out(&followed, others[i]));
	followed_done(&followed);
}

static void survives_any_text(void **state)
{
	static const char *const notes[] = { "pids: 0 99999999999999999999999 7x 8\nchildren: no",
					     "pids:",
					     "",
					     "\n\npids:  \n9\n",
					     "pids: -4",
					     NULL };
	struct followed followed = { 0 };

	if (succeeds(make(notes) == 0 && read_it(&followed) == 0)) {
		assert_int_equal(followed.n, 1);
		assert_int_equal(followed.pids[0], 7);
		assert_false(followed.children);
	}
	followed_done(&followed);
}

static void all_tasks_may_have_exited(void **state)
{
	static const char *const notes[] = { "children: yes\n", NULL };
	struct followed followed = { 0 };

	if (succeeds(make(notes) == 0 && read_it(&followed) == 0)) {
		assert_int_equal(followed.n, 0);
		assert_true(followed_is_limited(&followed));
	}
	followed_done(&followed);
}

static void recognizes_masks_of_all_cpus(void **state)
{
	static const struct {
		const char *note;
		bool some;
	} cases[] = {
		{ "cpumask: ff\n", false },
		{ "cpumask: 7f\n", true },
		{ "cpumask: fe\n", true },
		{ "cpumask: 1\n", true },
		{ "cpumask: f\n", true },
		{ "cpumask: 0,ff\n", false },
		{ "cpumask: 1,f\n", true },
		{ "cpumask: FFF\n", false },
		{ "cpumask: xyz\n", false },
		{ "cpumask: \n", false },
		{ "cpumask: ff\ncpumask: 1\n", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const notes[] = { cases[i].note, NULL };
		struct followed followed = { 0 };

		assert_int_equal(make(notes), 0);
		assert_int_equal(read_it(&followed), 0);
		assert_int_equal(followed.some_cpus, cases[i].some);
		followed_done(&followed);
	}
}

static void without_notes_all_tasks_are_recorded(void **state)
{
	static const char *const notes[] = { "command: x\n", NULL };
	struct followed followed = { 0 };

	if (succeeds(make(notes) == 0 && read_it(&followed) == 0)) {
		assert_int_equal(followed.n, 0);
		assert_false(followed.children);
	}
	followed_done(&followed);
}

static void survives_failing_allocations(void **state)
{
	static const char *const notes[] = {
		"pids: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\nrecorder: 4\n", NULL
	};
	struct followed followed = { 0 };

	if (succeeds(make(notes) == 0))
		oom_check(read_it, &followed);
	followed_done(&followed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_recorded_tasks),
		cmocka_unit_test(excludes_only_the_recorder),
		cmocka_unit_test(survives_any_text),
		cmocka_unit_test(all_tasks_may_have_exited),
		cmocka_unit_test(recognizes_masks_of_all_cpus),
		cmocka_unit_test(without_notes_all_tasks_are_recorded),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, temp_file_setup, temp_file_teardown);
}

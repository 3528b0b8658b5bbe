/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/files/file.h"
#include "kernel/tracefs/ftrace-reset.h"

static int dir = -1;

static int make(void **state)
{
	dir = open(tree_make(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tree_file("/tracing_on", "1\n");
	tree_file("/current_tracer", "function\n");
	tree_file("/set_event", "");
	tree_file("/set_ftrace_filter", "vfs_read\n");
	tree_file("/set_ftrace_pid", "no pid\n");
	tree_file("/trace_clock", "local [mono]\n");
	tree_file("/tracing_thresh", "7\n");
	tree_file("/kprobe_events", "p:a/b vfs_read\n");
	tree_file("/trace", "what was recorded\n");
	tree_file("/events/header_page", "no directory\n");
	tree_file("/events/sched/sched_switch/filter", "prev_pid == 1\n");
	tree_file("/events/sched/sched_switch/trigger", "stacktrace:unlimited\n");
	tree_file("/events/sched/enable", "0\n");
	tree_dir("/instances");
	tree_dir("/instances/theirs");
	return dir < 0 ? -1 : 0;
}

static int clean(void **state)
{
	close(dir);
	tree_remove();
	return 0;
}

static void has(const char *file, const char *expected)
{
	char line[64];

	assert_true(file_read_line(dir, file, line, sizeof(line)) >= 0);
	assert_string_equal(line, expected);
}

static void disables_everything(void **state)
{
	struct fathom_err err = { 0 };

	require(ftrace_reset(dir, &err) != -ENOMEM);
	assert_string_equal(err.message, "");
	has("tracing_on", "1");
	has("current_tracer", "nop");
	has("set_ftrace_filter", "");
	has("set_ftrace_pid", "no pid");
	has("trace_clock", "local");
	has("tracing_thresh", "0");
	has("kprobe_events", "");
	has("trace", "");
	has("events/sched/sched_switch/filter", "0");
	assert_int_equal(faccessat(dir, "instances/theirs", F_OK, 0), -1);
}

static void continues_after_a_failure(void **state)
{
	struct fathom_err err = { 0 };
	int r;

	tree_unlink("/current_tracer");
	tree_dir("/current_tracer");
	r = ftrace_reset(dir, &err);
	assert_true(r < 0);
	require(r != -ENOMEM);
	assert_non_null(strstr(err.message, "'current_tracer'"));
	has("trace_clock", "local");
}

static int reset(void *arg)
{
	return ftrace_reset(dir, NULL);
}

static void survives_failing_allocations(void **state)
{
	tree_unlink("/events/sched/sched_switch/trigger");
	oom_check(reset, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(disables_everything, make, clean),
		cmocka_unit_test_setup_teardown(continues_after_a_failure, make, clean),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, make, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

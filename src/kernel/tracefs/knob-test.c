/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include "kernel/tracefs/knob-kind.h"
#include "kernel/tracefs/knob.h"

/* Returns the current contents of a file. */
static const char *content(const char *file)
{
	static char text[4096];
	int fd = openat(tree_fd(), file, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

/* A file that prints @printed is read as @value. */
static void reads_as(const char *file, const char *printed, const char *value)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	char path[128];

	snprintf(path, sizeof(path), "/%s", file);
	tree_file(path, printed);
	if (knob_read(tree_fd(), file, &buf) == -ENOMEM)
		return;
	assert_string_equal(strbuf_str(&buf), value);
}

static void recognizes_its_files(void **state)
{
	assert_int_equal(knob_kind_of("current_tracer"), KNOB_WORD);
	assert_int_equal(knob_kind_of("options/func_stack_trace"), KNOB_WORD);
	assert_int_equal(knob_kind_of("per_cpu/cpu12/buffer_size_kb"), KNOB_SIZE);
	assert_int_equal(knob_kind_of("events/enable"), KNOB_EVENTS);
	assert_int_equal(knob_kind_of("events/sched/enable"), KNOB_EVENTS);
	assert_int_equal(knob_kind_of("events/sched/sched_switch/enable"), KNOB_EVENT);
	assert_int_equal(knob_kind_of("events/sched/filter"), KNOB_GROUP_FILTER);
	assert_int_equal(knob_kind_of("events/sched/sched_switch/filter"), KNOB_FILTER);
}

static void rejects_paths_outside_tracefs(void **state)
{
	static const char *const paths[] = {
		"",
		"/",
		"/etc/passwd",
		"..",
		"../x",
		"options/..",
		"options/../../../etc/passwd",
		"options//x",
		"options/",
		"options/.x",
		"options/a/b",
		"events/../x/enable",
		"events/a/../enable",
		"trace",
		"trace_marker",
		"dynamic_events",
		"instances/x/tracing_on",
		"options/a b",
		"options/a\nb",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (knob_kind_of(paths[i]) != KNOB_NONE)
			fail_msg("'%s' is taken for a knob", paths[i]);
}

static void reads_values(void **state)
{
	reads_as("current_tracer", "nop\n", "nop");
	reads_as("trace_clock", "local [global] mono\n", "global");
	reads_as("trace_clock", "local\n", "local");
	reads_as("buffer_size_kb", "1408\n", "1408");
	reads_as("buffer_size_kb", "7 (expanded: 1408)\n", "1408");
	reads_as("set_ftrace_pid", "no pid\n", "");
	reads_as("set_event_pid", "", "");
	reads_as("set_event_pid", "1\n77\n", "1\n77");
	reads_as("events/sched/sched_switch/enable", "1*\n", "1");
	reads_as("events/sched/sched_switch/enable", "0\n", "0");
	reads_as("events/sched/sched_switch/enable", "1\n", "1");
	reads_as("events/sched/sched_switch/filter", "none\n", "");
	reads_as("events/sched/sched_switch/filter", "prev_pid == 1\n", "prev_pid == 1");
	reads_as("events/sched/sched_switch/filter",
		 "nothere\n       ^\nparse_error: Field not found\n", "");
	reads_as("snapshot", "# tracer: nop\n#\n#\n# * Snapshot is freed *\n", "0");
	reads_as("snapshot", "# tracer: nop\n#\n#\n# * Snapshot is allocated *\n", "1");
	reads_as("set_ftrace_filter", "#### all functions enabled ####\n", "");
	reads_as("set_ftrace_filter", "vfs_read\nf [mod]\nvfs_open:traceoff:count=2\n",
		 "vfs_read\nf [mod]\nvfs_open:traceoff:count=2\n");
	reads_as("set_event", "sched:sched_switch\nirq:irq_handler_entry\n",
		 "sched:sched_switch\nirq:irq_handler_entry\n");
	tree_file("/events/irq/irq_handler_entry/enable", "0*\n");
	reads_as("set_event", "sched:sched_switch\nirq:irq_handler_entry\n*:mod:x\n",
		 "sched:sched_switch\n");
	reads_as("events/sched/sched_switch/trigger", "# Available triggers:\n# traceon\n", "");
}

static void reports_different_cpus(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	int r;

	tree_file("/buffer_size_kb", "X\n");
	r = knob_read(tree_fd(), "buffer_size_kb", &buf);
	assert_true(r == -EUCLEAN || r == -ENOMEM);
}

/* Restoring @value in a file that prints @now leaves @then in it, and returns @changed. */
static void restores(const char *file, const char *now, const char *value, const char *then,
		     int changed)
{
	char path[128];
	int r;

	snprintf(path, sizeof(path), "/%s", file);
	tree_file(path, now);
	r = knob_restore(tree_fd(), file, value);
	if (r == -ENOMEM)
		return;
	assert_int_equal(r, changed);
	assert_string_equal(content(file), then);
}

static void restores_values(void **state)
{
	restores("current_tracer", "function\n", "nop", "nop", 1);
	restores("current_tracer", "nop\n", "nop", "nop\n", 0);
	restores("trace_clock", "local [mono]\n", "local", "local", 1);
	restores("trace_clock", "[local] mono\n", "local", "[local] mono\n", 0);
	restores("buffer_size_kb", "7 (expanded: 1408)\n", "1408", "7 (expanded: 1408)\n", 0);
	restores("buffer_size_kb", "7\n", "1408", "1408", 1);
	restores("buffer_size_kb", "X\n", "1408", "1408", 1);
	restores("set_ftrace_pid", "1\n2\n", "", "", 1);
	restores("set_ftrace_pid", "1\n", "7\n8", "7\n8", 1);
	restores("set_ftrace_pid", "no pid\n", "", "no pid\n", 0);
	restores("events/a/b/enable", "1*\n", "1", "1*\n", 0);
	restores("events/a/b/filter", "x == 1\n", "", "0", 1);
	restores("events/a/b/filter", "none\n", "x == 1", "x == 1", 1);
	restores("snapshot", "# Snapshot is allocated\n", "0", "0", 1);
	restores("snapshot", "# Snapshot is allocated\n", "1", "# Snapshot is allocated\n", 0);
}

static void restores_functions(void **state)
{
	restores("set_ftrace_filter", "vfs_read\n", "", "", 1);
	restores("set_ftrace_filter", "#### all ####\n", "", "#### all ####\n", 0);
	restores("set_ftrace_filter", "b\na\n", "a\nb\n", "b\na\n", 0);
	restores("set_ftrace_filter", "c\n", "a\nf [mod]\n:mod:other\n",
		 ":mod:other\na\nf:mod:mod\n", 1);
	restores("set_graph_function", "c\n", "f [mod]\n", "f\n", 1);
}

static void restores_function_commands(void **state)
{
	/* Removes our command, whatever its count, without touching the list of functions. */
	restores("set_ftrace_filter", "a\nv:traceoff:count=2\n", "a\n",
		 "a\nv:traceoff:count=2\n!v:traceoff:2\n", 1);
	restores("set_ftrace_filter", "a\nv:enable_event:s:e:unlimited\n", "a\n",
		 "a\nv:enable_event:s:e:unlimited\n!v:enable_event:s:e\n", 1);
	/* A command that existed before and has counted down stays. */
	restores("set_ftrace_filter", "v:traceoff:count=2\n", "v:traceoff:count=5\n",
		 "v:traceoff:count=2\n", 0);
	restores("set_ftrace_filter", "", "v:traceoff:count=5\nw:stacktrace:unlimited\n",
		 "v:traceoff:5\nw:stacktrace\n", 1);
	/* Commands with and without a count differ. */
	restores("set_ftrace_filter", "v:traceoff:unlimited\n", "v:traceoff:count=5\n",
		 "v:traceoff:unlimited\n!v:traceoff\nv:traceoff:5\n", 1);
}

static void restores_triggers(void **state)
{
	static const char file[] = "events/a/b/trigger";

	restores(file, "stacktrace:unlimited\n", "", "stacktrace:unlimited\n!stacktrace\n", 1);
	restores(file, "", "traceoff:count=1 if p == 3\n", "traceoff:1 if p == 3\n", 1);
	restores(file, "traceoff:count=1 if p == 3\n", "traceoff:count=4 if p == 3\n",
		 "traceoff:count=1 if p == 3\n", 0);
	restores(file, "", "hist:keys=pid:vals=hitcount:size=2048 [paused]\n",
		 "hist:keys=pid:vals=hitcount:size=2048:pause\n", 1);
	restores(file, "hist:keys=pid [active]\n", "", "hist:keys=pid [active]\n!hist:keys=pid\n",
		 1);
	restores(file, "hist:keys=pid [active]\n", "hist:keys=pid [paused]\n",
		 "hist:keys=pid [active]\n", 0);
}

static void restores_events(void **state)
{
	tree_file("/events/sched/one/enable", "0\n");
	tree_file("/events/sched/two/enable", "1\n");
	tree_file("/events/irq/three/enable", "1\n");
	tree_file("/events/sched/enable", "X\n");
	tree_file("/set_event", "sched:two\nirq:three\n");
	/* Only the group matters; its own file is not needed. */
	require(knob_restore(tree_fd(), "events/sched/enable", "sched:one\n") != -ENOMEM);
	assert_string_equal(content("events/sched/one/enable"), "1");
	assert_string_equal(content("events/sched/two/enable"), "0");
	assert_string_equal(content("events/irq/three/enable"), "1\n");
	/*
	 * All disabled: one write for the group. The test sets the list that the kernel would show.
	 */
	tree_file("/set_event", "sched:one\nirq:three\n");
	if (succeeds(knob_restore(tree_fd(), "events/sched/enable", "") == 1))
		assert_string_equal(content("events/sched/enable"), "0");
}

static void rejects_misleading_values(void **state)
{
	tree_file("/set_event", "sched:two\n");
	tree_file("/events/sched/two/enable", "1\n");
	tree_file("/victim/enable", "intact");
	tree_file("/events/sched/enable", "1\n");
	knob_restore(tree_fd(), "events/enable",
		     "../victim:.\n..:victim\nsched:../../victim\n:\nx\n");
	assert_string_equal(content("victim/enable"), "intact");
	assert_int_equal(knob_restore(tree_fd(), "victim/enable", "1"), -EINVAL);
	assert_int_equal(knob_write(tree_fd(), "victim/enable", KNOB_SET, "1"), -EINVAL);
	assert_int_equal(sysctl_restore(tree_fd(), "../victim/enable", "1"), -EINVAL);
	assert_int_equal(sysctl_restore(tree_fd(), "kernel/hostname", "1"), -EINVAL);
}

static void writes_lists_and_values(void **state)
{
	tree_file("/set_event_pid", "1\n");
	if (succeeds(knob_write(tree_fd(), "set_event_pid", KNOB_ADD, "2") == 0))
		assert_string_equal(content("set_event_pid"), "1\n2\n");
	if (succeeds(knob_write(tree_fd(), "set_event_pid", KNOB_SET, "3") == 0))
		assert_string_equal(content("set_event_pid"), "3\n");
	assert_int_equal(knob_write(tree_fd(), "set_event_pid", KNOB_SET, ""), 0);
	assert_string_equal(content("set_event_pid"), "");
	tree_file("/tracing_on", "1\n");
	assert_int_equal(knob_write(tree_fd(), "tracing_on", KNOB_SET, "0"), 0);
	assert_string_equal(content("tracing_on"), "0");
	assert_int_equal(knob_write(tree_fd(), "options/none", KNOB_SET, "0"), -ENOENT);
}

static void restores_sysctls(void **state)
{
	tree_file("/kernel/kptr_restrict", "2\n");
	if (succeeds(sysctl_restore(tree_fd(), "kernel/kptr_restrict", "1") == 1))
		assert_string_equal(content("kernel/kptr_restrict"), "1");
}

static int restore_all(void *arg)
{
	int r;

	tree_file("/set_ftrace_filter", "a\nv:traceoff:count=2\n");
	tree_file("/events/a/b/trigger", "stacktrace:unlimited\n");
	tree_file("/set_event", "a:b\n");
	tree_file("/events/a/b/enable", "1\n");
	r = knob_restore(tree_fd(), "set_ftrace_filter", "b\n");
	if (r >= 0)
		r = knob_restore(tree_fd(), "events/a/b/trigger", "traceoff:unlimited\n");
	if (r >= 0)
		r = knob_restore(tree_fd(), "events/enable", "c:d\n");
	return r < 0 ? r : 0;
}

static void survives_failing_allocations(void **state)
{
	/* One failure at a time is enough. */
	if (!mem_fault)
		oom_check(restore_all, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recognizes_its_files),
		cmocka_unit_test(rejects_paths_outside_tracefs),
		cmocka_unit_test_setup_teardown(reads_values, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(reports_different_cpus, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(restores_values, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(restores_functions, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(restores_function_commands, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(restores_triggers, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(restores_events, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(rejects_misleading_values, tree_setup,
						tree_teardown),
		cmocka_unit_test_setup_teardown(writes_lists_and_values, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(restores_sysctls, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, tree_setup,
						tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

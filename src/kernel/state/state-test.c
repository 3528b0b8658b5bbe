/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/str.h"
#include "kernel/state/state.h"

#define T "/sys/kernel/tracing/"

static const char *root;

/* A machine after boot. */
static int make(void **state)
{
	root = tree_make();
	tree_file("/proc/self/mountinfo",
		  "36 22 0:12 / /sys/kernel/tracing rw - tracefs tracefs rw\n");
	tree_file(T "current_tracer", "nop\n");
	tree_file(T "tracing_on", "1\n");
	tree_file(T "set_event", "");
	tree_file(T "set_ftrace_filter", "#### all functions enabled ####\n");
	tree_file(T "set_ftrace_pid", "no pid\n");
	tree_file(T "trace_clock", "[local] global\n");
	tree_file(T "buffer_size_kb", "7 (expanded: 1408)\n");
	tree_file(T "max_graph_depth", "0\n");
	tree_file(T "snapshot", "# tracer: nop\n#\n#\n# * Snapshot is freed *\n");
	tree_file(T "dynamic_events", "");
	tree_file(T "enabled_functions", "");
	tree_dir(T "instances");
	return 0;
}

static int clean(void **state)
{
	tree_remove();
	return 0;
}

/* Returns false if memory ran out, as it does under the allocation torture. */
static bool look(struct trace_state *ret)
{
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;

	return tracefs_find(root, &tracefs, NULL) == 0 &&
	       trace_state_read(root, &tracefs, ret, NULL) == 0;
}

static const char *setting(const struct state_buffer *buffer, const char *name)
{
	for (size_t i = 0; i < buffer->settings.count; i++)
		if (str_eq(buffer->settings.items[i].name, name))
			return buffer->settings.items[i].text;
	return "";
}

static void sees_an_idle_machine(void **state)
{
	_cleanup_trace_state_ struct trace_state now = { 0 };

	require(look(&now));
	assert_int_equal(now.buffers.count, 1);
	assert_false(trace_state_active(&now));
	assert_int_equal(now.buffers.items[0].settings.count, 0);
	assert_int_equal(now.leftovers.count, 0);
	assert_int_equal(now.unseen.count, 0);
}

static void sees_settings_of_a_buffer(void **state)
{
	_cleanup_trace_state_ struct trace_state now = { 0 };
	const struct state_buffer *buffer;

	tree_file(T "current_tracer", "function\n");
	tree_file(T "tracing_on", "0\n");
	tree_file(T "set_event", "sched:sched_switch\nirq:irq_handler_entry\n");
	tree_file(T "events/sched/sched_switch/filter", "prev_pid > 1\n");
	tree_file(T "events/sched/sched_switch/trigger", "# Available triggers:\n# traceon\n");
	tree_file(T "events/irq/irq_handler_entry/filter", "none\n");
	tree_file(T "events/irq/irq_handler_entry/trigger", "traceoff:unlimited\n");
	tree_file(T "set_ftrace_filter", "f1\nf2\nf3\nf4\nf5\n");
	tree_file(T "set_ftrace_pid", "17\n");
	tree_file(T "trace_clock", "local [mono]\n");
	tree_file(T "buffer_size_kb", "2048\n");
	tree_file(T "max_graph_depth", "3\n");
	tree_file(T "snapshot", "# tracer: nop\n#\n#\n# * Snapshot is allocated *\n");
	require(look(&now));
	buffer = &now.buffers.items[0];
	assert_true(state_buffer_active(buffer));
	assert_string_equal(buffer->tracer, "function");
	assert_false(buffer->on);
	assert_int_equal(buffer->events.count, 2);
	assert_string_equal(setting(buffer, "filter of sched:sched_switch"), "prev_pid > 1");
	assert_string_equal(setting(buffer, "trigger of sched:sched_switch"), "");
	assert_string_equal(setting(buffer, "trigger of irq:irq_handler_entry"),
			    "traceoff:unlimited");
	assert_string_equal(setting(buffer, "filter of irq:irq_handler_entry"), "");
	assert_string_equal(setting(buffer, "set_ftrace_filter"), "f1, f2, f3, f4 and 1 more");
	assert_string_equal(setting(buffer, "set_ftrace_pid"), "17");
	assert_string_equal(setting(buffer, "trace_clock"), "mono");
	assert_string_equal(setting(buffer, "buffer_size_kb"), "2048");
	assert_string_equal(setting(buffer, "max_graph_depth"), "3");
	assert_string_equal(setting(buffer, "snapshot"), "allocated");
}

static void uses_the_kernels_list_of_filters(void **state)
{
	_cleanup_trace_state_ struct trace_state now = { 0 };

	tree_file(T "show_event_filters", "sched:sched_switch\tprev_pid > 1 && cpu == 2\n");
	tree_file(T "show_event_triggers", "irq:irq_handler_entry\ttraceoff:count=1\n");
	require(look(&now));
	assert_string_equal(setting(&now.buffers.items[0], "filter of sched:sched_switch"),
			    "prev_pid > 1 && cpu == 2");
	assert_string_equal(setting(&now.buffers.items[0], "trigger of irq:irq_handler_entry"),
			    "traceoff:count=1");
}

static void sees_instances_and_leftovers(void **state)
{
	_cleanup_trace_state_ struct trace_state now = { 0 };

	tree_file(T "instances/fathom-7/current_tracer", "nop\n");
	tree_file(T "instances/fathom-7/tracing_on", "0\n");
	tree_file(T "dynamic_events", "p:kprobes/mine vfs_read\np:fathom_7/x vfs_write\n"
				      "s:synthetic/fathom_lat u64 x\n");
	tree_file("/run/fathom/7.journal", "");
	tree_file("/proc/41/comm", "cat\n");
	tree_link("/proc/41/fd/3", T "instances/fathom-7/per_cpu/cpu0/trace_pipe_raw");
	tree_link("/proc/41/fd/4", T "instances/fathom-7/per_cpu/cpu1/trace_pipe_raw");
	require(look(&now));
	assert_int_equal(now.buffers.count, 2);
	assert_int_equal(now.dynamic_events.count, 3);
	assert_int_equal(now.leftovers.count, 4);
	assert_string_equal(now.leftovers.items[0].name, "fathom-7");
	assert_int_equal(now.leftovers.items[0].pid, 41);
	assert_string_equal(now.leftovers.items[1].kind, "event");
	assert_string_equal(now.leftovers.items[3].name, "7.journal");
	assert_int_equal(now.holders.count, 1);
	assert_int_equal(now.holders.items[0].count, 2);
	assert_string_equal(now.holders.items[0].what, "instances/fathom-7/trace_pipe_raw");
}

static void sees_processes_with_open_files(void **state)
{
	_cleanup_trace_state_ struct trace_state now = { 0 };

	tree_file("/proc/50/comm", "perf\n");
	tree_link("/proc/50/fd/0", "/dev/null");
	tree_link("/proc/50/fd/3", "anon_inode:[perf_event]");
	tree_link("/proc/50/fd/4", "anon_inode:[perf_event]");
	tree_file("/proc/51/comm", "bpftrace\n");
	tree_link("/proc/51/fd/3", "anon_inode:bpf-prog");
	tree_link("/proc/51/fd/5", "/sys/kernel/tracing-other/trace_pipe");
	tree_link("/proc/x/fd/5", "anon_inode:bpf-prog");
	require(look(&now));
	assert_int_equal(now.holders.count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct state_holder *holder = &now.holders.items[i];

		assert_int_equal(holder->count, holder->pid == 50 ? 2 : 1);
		assert_string_equal(holder->comm, holder->pid == 50 ? "perf" : "bpftrace");
	}
}

static void counts_callbacks(void **state)
{
	_cleanup_trace_state_ struct trace_state now = { 0 };

	tree_file(T "enabled_functions",
		  "vfs_read (1)   tramp: 0xffffffffc0a1 (function_trace_call+0x0/0x1d0) "
		  "->function_trace_call+0x0/0x1d0\n"
		  "vfs_write (1)  tramp: 0xffffffffc0a1 (function_trace_call+0x0/0x1d0) ->x+0x0/1\n"
		  "do_exit (1) D  direct-->bpf_trampoline_6442505669+0x0/0x148\n"
		  "fork (2) R     ->arch_ftrace_ops_list_func+0x0/0x1\n"
		  "odd\n");
	require(look(&now));
	assert_int_equal(now.functions, 5);
	assert_int_equal(now.callbacks.count, 3);
	assert_string_equal(now.callbacks.items[0].name, "function_trace_call");
	assert_int_equal(now.callbacks.items[0].functions, 2);
	assert_string_equal(now.callbacks.items[1].name, "bpf_trampoline");
	assert_string_equal(now.callbacks.items[2].name, "arch_ftrace_ops_list_func");
}

static void reports_unreadable_state(void **state)
{
	_cleanup_trace_state_ struct trace_state now = { 0 };

	tree_file("/proc/self/mountinfo", "");
	tree_file("/proc/filesystems", "nodev\ttracefs\n");
	require(look(&now));
	assert_int_equal(now.buffers.count, 0);
	assert_int_equal(now.unseen.count, 1);
}

static int look_and_drop(void *arg)
{
	_cleanup_trace_state_ struct trace_state now = { 0 };
	_cleanup_tracefs_ struct tracefs tracefs = TRACEFS_NONE;
	int r = tracefs_find(root, &tracefs, NULL);

	return r < 0 ? r : trace_state_read(root, &tracefs, &now, NULL);
}

static void survives_failing_allocations(void **state)
{
	/* The torture mode already makes allocations fail; combining both would take minutes. */
	require_memory();
	tree_file(T "set_event", "sched:sched_switch\n");
	tree_file(T "set_ftrace_filter", "a\n");
	tree_file(T "instances/fathom/current_tracer", "nop\n");
	tree_file(T "dynamic_events", "p:kprobes/mine vfs_read\n");
	tree_file(T "enabled_functions", "fork (2) R     ->arch_ftrace_ops_list_func+0x0/0x1\n");
	tree_file("/proc/50/comm", "perf\n");
	tree_link("/proc/50/fd/3", "anon_inode:[perf_event]");
	oom_check(look_and_drop, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sees_an_idle_machine, make, clean),
		cmocka_unit_test_setup_teardown(sees_settings_of_a_buffer, make, clean),
		cmocka_unit_test_setup_teardown(uses_the_kernels_list_of_filters, make, clean),
		cmocka_unit_test_setup_teardown(sees_instances_and_leftovers, make, clean),
		cmocka_unit_test_setup_teardown(sees_processes_with_open_files, make, clean),
		cmocka_unit_test_setup_teardown(counts_callbacks, make, clean),
		cmocka_unit_test_setup_teardown(reports_unreadable_state, make, clean),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, make, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Previews in a tree that imitates tracefs, and must not change. */
#include "test.h"

#include "record/plan.h"
#include "record/session/session-env.h"

#define T "/sys/kernel/tracing/"

static const char *root;
static struct session_env env = SESSION_ENV_NONE;
static struct plan plan;
static struct fathom_err err;

static int make(void **state)
{
	root = tree_make();
	tree_file("/proc/self/mountinfo",
		  "36 22 0:12 / /sys/kernel/tracing rw - tracefs tracefs rw\n");
	tree_file("/proc/sys/kernel/random/boot_id", "this-boot\n");
	tree_file("/proc/meminfo", "MemTotal:        1000000 kB\n");
	tree_file("/proc/kallsyms", "0000000000000000 t hidden_one\n");
	tree_file("/proc/filesystems", "nodev\ttracefs\n");
	tree_file(T "current_tracer", "nop\n");
	tree_file(T "available_tracers", "function_graph function wakeup nop\n");
	tree_file(T "available_events",
		  "sched:sched_switch\nsched:sched_wakeup\nirq:irq_handler_entry\n");
	tree_file(T "events/sched/sched_switch/format",
		  "name: sched_switch\nID: 3\nformat:\n"
		  "\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n");
	tree_file(T "events/sched/sched_wakeup/format",
		  "name: sched_wakeup\nID: 4\nformat:\n"
		  "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n");
	tree_file(T "available_filter_functions", "vfs_read\nvfs_write\nother [a]\nksys_read\n");
	tree_file(T "set_graph_notrace", "");
	tree_file(T "trace_clock", "[local] global\n");
	tree_file(T "per_cpu/cpu0/stats", "");
	tree_file(T "per_cpu/cpu1/stats", "");
	tree_file(T "options/overwrite", "1\n");
	tree_dir(T "instances/mine");
	tree_dir("/run");
	err = (struct fathom_err){ 0 };
	if (session_env_open(root, &env, &err) < 0 && !mem_fault)
		return -1;
	return plan_init(&plan) < 0 && !mem_fault ? -1 : 0;
}

static int clean(void **state)
{
	plan_done(&plan);
	session_env_done(&env);
	tree_remove();
	return 0;
}

static int preview(void)
{
	return plan_preview(&plan, &env, &err);
}

static void expect_refusal(const char *words)
{
	assert_true(preview() < 0);
	if (!strstr(err.message, words))
		fail_msg("%s, not %s", err.message, words);
}

static int events(const char *name, const char *filter, bool off)
{
	int r = plan_add_event(&plan.buffers[0], name, off);

	if (r == 0)
		plan.buffers[0].events[plan.buffers[0].n_events - 1].filter = filter;
	return r;
}

static void counts_events(void **state)
{
	require(plan.buffers && events("sched", NULL, false) == 0 &&
		events("irq_handler_entry", NULL, false) == 0 &&
		events("sched_wakeup", NULL, true) == 0 && preview() == 0);
	assert_int_equal(plan.buffers[0].preview.events, 2);
	assert_int_equal(plan.buffers[0].events[0].found, 2);
	assert_int_equal(plan.buffers[0].preview.cpus, 2);
	assert_true(plan.buffers[0].size_kb > 0);
	assert_int_equal(plan.buffers[0].preview.place, PLAN_PLACE_PRIVATE);
}

static void excludes_events_that_a_filter_does_not_apply_to(void **state)
{
	assert_int_equal(events("sched", "prev_pid == 7", false), 0);
	assert_int_equal(preview(), 0);
	assert_int_equal(plan.buffers[0].preview.events, 1);
	assert_non_null(strstr(strbuf_str(&plan.notes), "does not apply to 1 of the 2 events"));
}

static void rejects_a_filter_without_matching_events(void **state)
{
	assert_int_equal(events("sched", "prio == 7", false), 0);
	expect_refusal("the event has no field 'prio'");
}

static void rejects_an_unknown_event(void **state)
{
	assert_int_equal(events("sched_swich", NULL, false), 0);
	expect_refusal("did you mean 'sched_switch'?");
}

static void counts_functions(void **state)
{
	struct plan_buffer *buffer = plan.buffers;

	require(buffer);
	buffer->tracer = "function";
	require(plan_words_add(&buffer->functions, "vfs_*") == 0 &&
		plan_words_add(&buffer->functions, "ksys_read") == 0 &&
		plan_words_add(&buffer->not_functions, "vfs_write") == 0 && preview() == 0);
	assert_int_equal(buffer->preview.functions, 2);
	assert_int_equal(buffer->preview.place, PLAN_PLACE_PRIVATE);
}

static void counts_all_functions(void **state)
{
	plan.buffers[0].tracer = "function_graph";
	assert_int_equal(plan_words_add(&plan.buffers[0].not_functions, "vfs_write"), 0);
	assert_int_equal(preview(), 0);
	/* function_graph excludes branches, not functions. */
	assert_int_equal(plan.buffers[0].preview.functions, 4);
	/* The kernel lacks the function that function_graph in instances requires. */
	assert_int_equal(plan.buffers[0].preview.place, PLAN_PLACE_TOP);
}

static void counts_functions_of_a_module(void **state)
{
	plan.buffers[0].tracer = "function";
	plan.buffers[0].module = "a";
	assert_int_equal(preview(), 0);
	assert_int_equal(plan.buffers[0].preview.functions, 1);
}

static void rejects_unknown_names(void **state)
{
	struct plan_buffer *buffer = plan.buffers;

	buffer->tracer = "functoin";
	expect_refusal("no tracer 'functoin' in this kernel; did you mean 'function'?");
	buffer->tracer = "function";
	buffer->clock = "mono";
	expect_refusal("no clock 'mono'");
	buffer->clock = "global";
	buffer->subbuf_kb = 8;
	expect_refusal("cannot change the sub-buffer size");
	buffer->subbuf_kb = 0;
	assert_int_equal(plan_words_add(&buffer->options, "nooverwrit"), 0);
	expect_refusal("no trace option 'overwrit' in this kernel; did you mean 'overwrite'?");
	buffer->options.n = 0;
	assert_int_equal(plan_words_add(&buffer->functions, "vfs_raed"), 0);
	expect_refusal("did you mean 'vfs_read'?");
}

static void finds_instances(void **state)
{
	assert_int_equal(plan_add_buffer(&plan, "mine"), 0);
	assert_int_equal(plan_add_buffer(&plan, "new"), 0);
	assert_int_equal(preview(), 0);
	assert_int_equal(plan.buffers[1].preview.place, PLAN_PLACE_EXISTING);
	assert_int_equal(plan.buffers[2].preview.place, PLAN_PLACE_INSTANCE);
	plan.buffers[0].tracer = "wakeup";
	assert_int_equal(preview(), 0);
	assert_int_equal(plan.buffers[0].preview.place, PLAN_PLACE_UNKNOWN);
}

static void counts_probes(void **state)
{
	bool kinds[PROBE_COST_KINDS];

	require(plan.buffers && plan_add_expression(&plan, "k:vfs_read", &err) == 0 &&
		plan_add_expression(&plan, "kr:vfs_*", &err) == 0 && preview() == 0);
	require_memory();
	/* The glob itself is an event that is off. */
	assert_int_equal(plan.buffers[0].n_events, 4);
	assert_int_equal(plan.sets->made, 2);
	event_price_kinds(&plan, kinds);
	assert_true(kinds[PROBE_COST_KPROBE] && kinds[PROBE_COST_KRETPROBE]);
	assert_false(kinds[PROBE_COST_EVENT] || kinds[PROBE_COST_GRAPH_CALL]);
}

static void rejects_a_probe_without_a_function(void **state)
{
	assert_int_equal(plan_add_expression(&plan, "k:vfs_raed", &err), 0);
	expect_refusal("no kernel function 'vfs_raed'; did you mean 'vfs_read'?");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counts_events),
		TEST(excludes_events_that_a_filter_does_not_apply_to),
		TEST(rejects_a_filter_without_matching_events),
		TEST(rejects_an_unknown_event),
		TEST(counts_functions),
		TEST(counts_all_functions),
		TEST(counts_functions_of_a_module),
		TEST(rejects_unknown_names),
		TEST(finds_instances),
		TEST(counts_probes),
		TEST(rejects_a_probe_without_a_function),
	};
	const struct CMUnitTest short_of_memory[] = {
		TEST(counts_events),
		TEST(counts_functions),
		TEST(counts_probes),
	};

	return mem_fault ? cmocka_run_group_tests(short_of_memory, NULL, NULL) :
			   cmocka_run_group_tests(tests, NULL, NULL);
}

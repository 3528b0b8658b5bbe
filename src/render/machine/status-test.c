/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests with a directory tree in place of tracefs. */
#include "test.h"

#include "base/cleanup.h"
#include "record/session/status.h"
#include "render/machine/status.h"

#define T "/sys/kernel/tracing/"
#define I T "instances/one/"

static const char *root;

static void make_ring(const char *dir, const char *stats)
{
	char path[256];

	for (unsigned cpu = 0; cpu < 2; cpu++) {
		snprintf(path, sizeof(path), "%sper_cpu/cpu%u/stats", dir, cpu);
		tree_file(path, stats);
	}
}

static int make(void **state)
{
	root = tree_make();
	tree_file("/proc/self/mountinfo",
		  "36 22 0:12 / /sys/kernel/tracing rw - tracefs tracefs rw\n");
	tree_file("/proc/sys/kernel/random/boot_id", "this-boot\n");
	tree_file("/proc/sys/kernel/ftrace_enabled", "1\n");
	tree_file("/proc/sys/kernel/stack_tracer_enabled", "1\n");
	tree_file(T "current_tracer", "nop\n");
	tree_file(T "tracing_on", "1\n");
	tree_file(T "set_event", "");
	tree_file(T "trace_clock", "[local] global\n");
	tree_file(T "buffer_size_kb", "7 (expanded: 1408)\n");
	tree_file(T "tracing_cpumask", "3\n");
	tree_file(T "dynamic_events", "p:kprobes/lab vfs_read\n");
	tree_file(T "error_log", "[   10.5] event filter parse error: error: Field not found\n"
				 "  Command: nothing == 1\n           ^\n");
	make_ring(T, "entries: 0\noverrun: 0\ndropped events: 0\n");
	tree_file(I "current_tracer", "function\n");
	tree_file(I "tracing_on", "0\n");
	tree_file(I "set_event", "irq:irq_handler_entry\nsched:sched_switch\nsched:sched_wakeup\n");
	tree_file(I "events/sched/sched_switch/filter", "prev_pid == 1\n");
	tree_file(I "trace_clock", "local [mono]\n");
	tree_file(I "buffer_size_kb", "2000\n");
	tree_file(I "buffer_total_size_kb", "4000\n");
	tree_file(I "tracing_cpumask", "1\n");
	tree_file(I "tracing_max_latency", "1234\n");
	tree_file(I "set_ftrace_filter", "vfs_read\nvfs_write\n");
	tree_file(I "options/overwrite", "1\n");
	tree_file(I "options/stacktrace", "0\n");
	make_ring(I, "entries: 21\noverrun: 3\ndropped events: 1\n");
	return 0;
}

static int clean(void **state)
{
	tree_remove();
	return 0;
}

static char *print(const struct status *status, const struct status_view *view)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct out out;

	assert_non_null(f);
	out_init(&out, f, OUT_COLOR_NEVER);
	status_print(status, view, &out);
	fclose(f);
	return text;
}

static void shows_everything(void **state)
{
	static const bool shown[] = { true, true };
	_cleanup_status_ struct status status = { .env = SESSION_ENV_NONE };
	_cleanup_free_ char *text = NULL;

	require(status_read(root, true, &status, NULL) >= 0);
	assert_int_equal(status.n, 2);
	text = print(&status, &(struct status_view){ .shown = shown, .whole = true });
	assert_string_equal(
		text, "top level\n"
		      "  tracing     on\n"
		      "  tracer      none\n"
		      "  events      none\n"
		      "  buffer      1408 KB per CPU, 2 CPUs; not allocated yet\n"
		      "  clock       local\n"
		      "\n"
		      "instance 'one'\n"
		      "  tracing     off\n"
		      "  tracer      function\n"
		      "  events      irq: irq_handler_entry\n"
		      "              sched: sched_switch sched_wakeup\n"
		      "  set         filter of sched:sched_switch: prev_pid == 1\n"
		      "              set_ftrace_filter: vfs_read, vfs_write\n"
		      "  buffer      2000 KB per CPU, 2 CPUs, 4000 KB in all; 42 events, 8 lost\n"
		      "  clock       mono\n"
		      "  CPUs        1\n"
		      "  max latency 1.23 ms\n"
		      "  options     overwrite nostacktrace\n"
		      "\ndynamic events\n"
		      "  p:kprobes/lab vfs_read\n"
		      "\nthe stack tracer is enabled; 'fathom stack' shows the deepest stack\n"
		      "\nrecent kernel error messages\n"
		      "[   10.5] event filter parse error: error: Field not found\n"
		      "  Command: nothing == 1\n           ^\n");
}

static void shows_selected_buffers(void **state)
{
	static const bool shown[] = { true, false };
	_cleanup_status_ struct status status = { .env = SESSION_ENV_NONE };
	_cleanup_strbuf_ struct strbuf json = { 0 };
	_cleanup_free_ char *text = NULL;
	struct status_view view = { .shown = shown };

	require(status_read(root, false, &status, NULL) >= 0);
	text = print(&status, &view);
	assert_null(strstr(text, "'one'"));
	assert_null(strstr(text, "dynamic"));
	status_json(&status, &view, &json);
	require(!json.err);
	assert_null(strstr(json.s, "\"one\""));
	assert_non_null(strstr(json.s, "\"size_kb\": 1408"));
	assert_non_null(strstr(json.s, "\"max_latency_ns\": null"));
	assert_null(strstr(json.s, "added_events"));
}

static void writes_latencies_as_nanoseconds(void **state)
{
	static const bool shown[] = { false, true };
	_cleanup_status_ struct status status = { .env = SESSION_ENV_NONE };
	_cleanup_strbuf_ struct strbuf json = { 0 };

	require(status_read(root, false, &status, NULL) >= 0);
	status_json(&status, &(struct status_view){ .shown = shown }, &json);
	require(!json.err);
	assert_non_null(strstr(json.s, "\"max_latency_ns\": 1234000"));
}

static void writes_csv(void **state)
{
	static const bool shown[] = { true, true };
	_cleanup_status_ struct status status = { .env = SESSION_ENV_NONE };
	_cleanup_strbuf_ struct strbuf csv = { 0 };

	require(status_read(root, true, &status, NULL) >= 0);
	status_json(&status, &(struct status_view){ .shown = shown, .whole = true, .csv = true },
		    &csv);
	require(!csv.err);
	assert_string_equal(
		csv.s, "instance,session,is_on,tracer,events,cpu_count,size_kb,total_kb,is_unused,"
		       "entry_count,lost_event_count,clock,cpumask,max_latency_ns\n"
		       ",,true,nop,,2,1408,2816,true,0,0,local,,\n"
		       "one,,false,function,irq:irq_handler_entry;sched:sched_switch;"
		       "sched:sched_wakeup,2,2000,4000,false,42,8,mono,1,1234000\n");
}

static int read_op(void *arg)
{
	_cleanup_status_ struct status status = { .env = SESSION_ENV_NONE };

	return status_read(root, true, &status, NULL);
}

static void survives_failing_allocations(void **state)
{
	oom_check(read_op, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_everything),
		cmocka_unit_test(shows_selected_buffers),
		cmocka_unit_test(writes_latencies_as_nanoseconds),
		cmocka_unit_test(writes_csv),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, make, clean);
}

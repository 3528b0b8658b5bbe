/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "render/kit/json.h"
#include "render/machine/recording-preview.h"
#include "render/machine/price-table.h"

static char screen[8192];
static struct plan plan;

static int make(void **state)
{
	return plan_init(&plan);
}

static int clean(void **state)
{
	plan_done(&plan);
	return 0;
}

static int render(const struct recording_preview *what)
{
	FILE *stream = fmemopen(screen, sizeof(screen) - 1, "w");
	struct out out;
	int r;

	assert_non_null(stream);
	memset(screen, 0, sizeof(screen));
	out_init(&out, stream, OUT_COLOR_NEVER);
	r = recording_preview_print(what, &out);
	fclose(stream);
	return r;
}

static void assert_has(const char *part)
{
	if (!strstr(screen, part))
		fail_msg("'%s' is missing in:\n%s", part, screen);
}

static void describes_the_recording(void **state)
{
	static char name[] = "sleep", word[] = "a\033b";
	char *const command[] = { name, word, NULL };
	struct plan_buffer *buffer = plan.buffers;

	buffer->tracer = "function_graph";
	buffer->preview = (struct plan_buffer_preview){ PLAN_PLACE_TOP, 2, 25, 1234 };
	buffer->size_kb = 512;
	assert_int_equal(plan_add_event(buffer, "sched", false), 0);
	buffer->events[0].found = 24;
	assert_int_equal(plan_add_event(buffer, "irq:irq_handler_entry", false), 0);
	buffer->events[1].found = 1;
	buffer->events[1].filter = "irq == 1";
	assert_int_equal(plan_words_add(&buffer->functions, "vfs_*"), 0);
	assert_int_equal(render(&(struct recording_preview){ .plan = &plan,
							     .output = "trace.dat",
							     .command = command,
							     .for_ns = 10000000000,
							     .syscall_ns = 172 }),
			 0);
	assert_has("\n  file        trace.dat\n");
	assert_has("\n  command     sleep a\\x1bb\n");
	assert_has("\n  processes   all\n");
	assert_has("\n  ends        when the command exits, or after 10.0 s\n");
	assert_has("\n  where       the top-level buffer");
	assert_has("\n  size        512 KB per CPU, 2 CPUs\n");
	assert_has("\n  functions   1234\n    only      vfs_*\n");
	assert_has(
		"\n  events      25\n              sched: 24\n              irq:irq_handler_entry\n"
		"    filter    irq == 1\n");
	/* Half of the price in the table, where a system call takes 344 ns. */
	assert_has("800 ns");
	assert_has("0.08 % of a CPU");
	assert_has("13000/s");
	assert_has("380 ns");
	assert_has("system call\ntakes 172 ns.");
	assert_null(strstr(screen, "kprobe"));
	assert_null(strstr(screen, "Not included"));
}

static void names_items_without_a_cost(void **state)
{
	plan.buffers[0].tracer = "wakeup";
	plan.buffers[0].stack = true;
	plan.children = true;
	assert_int_equal(plan_add_pid(&plan, 17), 0);
	assert_int_equal(render(&(struct recording_preview){ .plan = &plan,
							     .output = "x",
							     .n_pids = 1,
							     .sample_hz = 99,
							     .syscall_ns = 344 }),
			 0);
	assert_has("\n  processes   17, with child processes\n");
	assert_has("\n  ends        on Ctrl-C\n");
	assert_has("\n  samples     99 per second and CPU\n");
	assert_has("Not included: stack traces");
	assert_has("Not included: the tracer");
	assert_has("Not included: samples");
	assert_null(strstr(screen, "untraced system call"));
}

static void prints_costs_as_json(void **state)
{
	struct price_table prices = { .syscall_ns = 34.4, .kinds = { [PROBE_COST_UPROBE] = true } };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_init(&json, &buf, false);
	json_begin_object(&json, NULL);
	price_table_json(&prices, &json, "cost");
	json_end_object(&json);
	snprintf(screen, sizeof(screen), "%s", strbuf_str(&buf));
	assert_has("\"syscall_ns\":34.4");
	assert_has("{\"kind\":\"uprobe\",\"cost_ns\":170,\"one_percent_per_second\":58000}");
}

static int prices_op(void *arg)
{
	struct price_table prices = { .syscall_ns = 34.4, .kinds = { [PROBE_COST_UPROBE] = true } };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_init(&json, &buf, false);
	price_table_json(&prices, &json, NULL);
	return buf.err;
}

static void survives_failing_allocations(void **state)
{
	oom_check(prices_op, NULL);
}

/* A screen without an error is complete. */
static int render_words(void *arg)
{
	static char name[] = "sleep";
	char *const command[] = { name, NULL };
	int r = render(&(struct recording_preview){
		.plan = &plan, .output = "trace.dat", .command = command, .for_ns = 1000 });

	if (r < 0)
		return r;
	assert_has("  command     sleep\n");
	assert_has("  processes   all\n");
	assert_has("  ends        when the command exits, or after 1.00 us\n");
	assert_has("    only      vfs_read, vfs_write\n");
	assert_has("  options     sym-offset\n");
	return 0;
}

static void misses_no_lack_of_memory(void **state)
{
	struct plan_buffer *buffer = plan.buffers;

	buffer->tracer = "function";
	require(plan_words_add(&buffer->functions, "vfs_read") == 0 &&
		plan_words_add(&buffer->functions, "vfs_write") == 0 &&
		plan_words_add(&buffer->options, "sym-offset") == 0);
	oom_check(render_words, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(describes_the_recording),	TEST(names_items_without_a_cost),
		TEST(prints_costs_as_json),	TEST(survives_failing_allocations),
		TEST(misses_no_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

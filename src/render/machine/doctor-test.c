/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/negative-errno.h"
#include "kernel/features/features.h"
#include "kernel/state/state.h"
#include "render/machine/doctor.h"

#define T "/sys/kernel/tracing/"

static const char *root;

static int make(void **state)
{
	root = tree_make();
	tree_file("/proc/filesystems", "nodev\ttracefs\n");
	tree_file("/proc/self/mountinfo",
		  "36 22 0:12 / /sys/kernel/tracing rw - tracefs tracefs rw\n");
	tree_file(T "current_tracer", "function\n");
	tree_file(T "tracing_on", "1\n");
	tree_file(T "set_event", "sched:sched_switch\n");
	tree_file(T "available_tracers", "function_graph function nop\n");
	tree_file(T "README", "");
	tree_file(T "trace_clock", "[local] global\n");
	tree_file(T "kprobe_events", "");
	tree_file(T "dynamic_events", "p:fathom_1/x vfs_read\n");
	tree_file(T "events/sched/sched_switch/trigger", "");
	tree_dir(T "instances");
	tree_file("/proc/50/comm", "bad\033[2Jname\n");
	tree_link("/proc/50/fd/3", "anon_inode:[perf_event]");
	return 0;
}

static int clean(void **state)
{
	tree_remove();
	return 0;
}

/* Renders the report of the tree as text or JSON into @buf. Returns 0 or a negative errno. */
static int render(bool json, bool verbose, unsigned width, char *buf, size_t size)
{
	_cleanup_features_ struct fathom_features *features = NULL;
	_cleanup_trace_state_ struct trace_state now = { 0 };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	static const struct price_table prices = { .syscall_ns = 344,
						   .kinds = { [PROBE_COST_EVENT] = true } };
	struct doctor_report report;
	struct out out;
	FILE *stream;
	int r = features_probe_at(root, 0, &features, NULL);

	if (r < 0)
		return r;
	r = trace_state_read(root, features_tracefs(features), &now, NULL);
	if (r < 0)
		return r;
	report = (struct doctor_report){ .features = features,
					 .state = &now,
					 .tracefs = features_tracefs(features),
					 .host = features_host(features),
					 .prices = &prices };
	memset(buf, 0, size);
	if (json) {
		doctor_write_json(&text, &report, false);
		snprintf(buf, size, "%s", strbuf_str(&text));
		return text.err;
	}
	stream = fmemopen(buf, size - 1, "w");
	if (!stream)
		return negative_errno();
	out_init(&out, stream, OUT_COLOR_NEVER);
	out.width = width;
	r = doctor_print_text(&out, &report, verbose);
	fclose(stream);
	return r;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is missing in:\n%s", part, text);
}

static char screen[65536];

static void the_screen_is_complete(void **state)
{
	require(render(false, false, 80, screen, sizeof(screen)) >= 0);
	require_memory();
	assert_has(screen, "Tracing works on this machine.\nLinux ");
	assert_has(screen, "\nSupported\n  tracers    function, function_graph, nop\n");
	assert_has(screen, "clocks (local, global)");
	assert_has(screen, "\nWorkarounds\n");
	assert_has(screen, "\n  histograms                     computed from a recording\n");
	assert_has(screen, "\nUnsupported\n  tracers    blk ");
	assert_has(screen, "\n             wakeup, wakeup_rt, wakeup_dl   needs "
			   "CONFIG_SCHED_TRACER\n");
	assert_has(screen, "\nNot tested\n");
	assert_has(screen, "In use\n  top level          tracer function, 1 event "
			   "(sched:sched_switch), recording\n");
	assert_has(screen, "\n  process 50 (bad\\x1b[2Jname) perf event open\n");
	assert_has(screen, "\nOverhead on this machine (estimated)\n");
	assert_has(screen, "760 ns");
	assert_has(screen, "\n  event 'p:fathom_1/x vfs_read'\n");
	assert_null(strchr(screen, '\033'));
}

static void the_screen_respects_the_width(void **state)
{
	char *text = screen;

	require(render(false, false, 60, screen, sizeof(screen)) >= 0);
	for (char *line; (line = strsep(&text, "\n"));)
		assert_true(strlen(line) <= 60 || *line != ' ' ||
			    !strchr(line + strspn(line, " "), ' '));
}

static void details_name_every_feature(void **state)
{
	require(render(false, true, 80, screen, sizeof(screen)) >= 0);
	assert_has(screen, "probe.kprobe");
	assert_has(screen, "caution.fprobe-mass");
	assert_has(screen, "    check    ");
}

static void json_has_all_members(void **state)
{
	require(render(true, false, 80, screen, sizeof(screen)) >= 0);
	assert_has(screen, "\"schema\": 1");
	assert_has(screen, "\"verdict\": \"usable\"");
	assert_has(screen, "\"id\": \"clocks\"");
	assert_has(screen, "\"value\": \"local global\"");
	assert_has(screen, "\"comm\": \"bad\\u001b[2Jname\"");
	assert_has(screen, "\"leftovers\": [");
	assert_has(screen, "\"one_percent_per_second\": 13000");
}

static void gives_advice(void **state)
{
	tree_file("/proc/self/mountinfo", "");
	require(render(false, false, 80, screen, sizeof(screen)) >= 0);
	assert_has(screen, "Tracing does not work on this machine: tracefs is not mounted.\n"
			   "  to mount it: sudo fathom doctor --mount\n");
	assert_has(screen, "\nNot checked\n");
	assert_has(screen, "\n  not visible        tracers, events");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_screen_is_complete, make, clean),
		cmocka_unit_test_setup_teardown(the_screen_respects_the_width, make, clean),
		cmocka_unit_test_setup_teardown(details_name_every_feature, make, clean),
		cmocka_unit_test_setup_teardown(json_has_all_members, make, clean),
		cmocka_unit_test_setup_teardown(gives_advice, make, clean),
	};
	/*
	 * In torture mode, this program runs once per allocation: one test of each kind suffices.
	 */
	const struct CMUnitTest once[] = {
		cmocka_unit_test_setup_teardown(the_screen_is_complete, make, clean),
		cmocka_unit_test_setup_teardown(json_has_all_members, make, clean),
	};

	if (getenv("FATHOM_FAIL_ALLOC"))
		return cmocka_run_group_tests(once, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

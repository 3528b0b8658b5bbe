/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/cleanup.h"
#include "record/rings/cpu-stats.h"

static const char usual[] = "entries: 129\n"
			    "overrun: 7\n"
			    "commit overrun: 3\n"
			    "bytes: 1024\n"
			    "oldest event ts:     2.506109\n"
			    "now ts:    71.160033\n"
			    "dropped events: 5\n"
			    "read events: 4100\n";

static void reads_each_line(void **state)
{
	struct cpu_stats stats;

	assert_int_equal(cpu_stats_parse(usual, &stats), 0);
	assert_int_equal(stats.entries, 129);
	assert_int_equal(stats.overrun, 7);
	assert_int_equal(stats.bytes, 1024);
	assert_int_equal(stats.dropped, 5);
	assert_int_equal(stats.read, 4100);
	assert_int_equal(stats.now, 71160033000);
	assert_int_equal(cpu_stats_lost(&stats), 12);
}

static uint64_t now_of(const char *value)
{
	char text[128];
	struct cpu_stats stats;

	snprintf(text, sizeof(text), "entries: 0\noverrun: 0\ndropped events: 0\n%s", value);
	assert_int_equal(cpu_stats_parse(text, &stats), 0);
	return stats.now;
}

static void clocks_count_seconds_or_units(void **state)
{
	assert_int_equal(now_of("now ts: 0.000001\n"), 1000);
	assert_int_equal(now_of("now ts: 12.5\n"), 12500000000);
	assert_int_equal(now_of("now ts: 1.123456789\n"), 1123456789);
	/* More digits than nanoseconds. */
	assert_int_equal(now_of("now ts: 1.1234567899\n"), 1123456789);
	assert_int_equal(now_of("now ts: 98765\n"), 98765);
	assert_int_equal(now_of(""), 0);
}

static void requires_the_loss_counters(void **state)
{
	static const char *const texts[] = {
		"",
		"overrun: 1\ndropped events: 1\n",
		"entries: 1\ndropped events: 1\n",
		"entries: 1\noverrun: 1\n",
		/* Only whole words at the start of a line. */
		"entries: 1\ncommit overrun: 1\ndropped events: 1\n",
		"entries: 1\noverruns: 1\ndropped events: 1\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct cpu_stats stats = { .entries = 77 };

		assert_int_equal(cpu_stats_parse(texts[i], &stats), -EINVAL);
		assert_int_equal(stats.entries, 77);
	}
}

static void reads_the_file_of_a_cpu(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct cpu_stats stats;

	tree_file("/per_cpu/cpu12/stats", usual);
	strbuf_adds(&text, "before\n");
	require(cpu_stats_read(tree_fd(), 12, &stats, &text) == 0 && !text.err);
	assert_int_equal(stats.read, 4100);
	assert_string_equal(strbuf_str(&text) + 7, usual);
	assert_true(cpu_stats_read(tree_fd(), 1, &stats, NULL) < 0);
}

static void lists_cpus_by_number(void **state)
{
	_cleanup_free_ uint32_t *cpus = NULL;
	size_t n;

	tree_file("/per_cpu/cpu10/stats", "");
	tree_file("/per_cpu/cpu0/stats", "");
	tree_file("/per_cpu/cpu2/stats", "");
	tree_file("/per_cpu/cpufreq/stats", "");
	tree_file("/per_cpu/cpu3x/stats", "");
	tree_file("/per_cpu/cpu4294967296/stats", "");
	require(cpu_list_read(tree_fd(), &cpus, &n) == 0);
	assert_int_equal(n, 3);
	assert_int_equal(cpus[0], 0);
	assert_int_equal(cpus[1], 2);
	assert_int_equal(cpus[2], 10);
}

static void reports_a_missing_cpu(void **state)
{
	uint32_t *cpus;
	size_t n;

	assert_int_equal(cpu_list_read(tree_fd(), &cpus, &n), -ENOENT);
	tree_file("/per_cpu/other", "");
	assert_int_equal(cpu_list_read(tree_fd(), &cpus, &n), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_each_line),
		cmocka_unit_test(clocks_count_seconds_or_units),
		cmocka_unit_test(requires_the_loss_counters),
		cmocka_unit_test_setup_teardown(reads_the_file_of_a_cpu, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(lists_cpus_by_number, tree_setup, tree_teardown),
		cmocka_unit_test_setup_teardown(reports_a_missing_cpu, tree_setup, tree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

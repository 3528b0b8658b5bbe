/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "kernel/features/features.h"
#include "kernel/features/probe.h"

#define T "/sys/kernel/tracing/"

static const char *root;

/* A kernel with function tracing and fprobes, but without function_graph. */
static int make(void **state)
{
	root = tree_make();
	tree_file("/proc/filesystems", "nodev\ttracefs\n");
	tree_file("/proc/self/mountinfo",
		  "36 22 0:12 / /sys/kernel/tracing rw - tracefs tracefs rw\n");
	tree_file(T "current_tracer", "nop\n");
	tree_file(T "available_tracers", "blk function nop\n");
	tree_file(T "README",
		  " f[:[<group>/][<event>]] <func-name>[%return]\n <argname>[->field]\n");
	tree_file(T "trace_clock", "[local] global x86-tsc\n");
	tree_file(T "error_log", "");
	tree_file(T "kprobe_events", "");
	tree_file("/proc/kallsyms", "0000000000000000 T ring_buffer_map\n"
				    "0000000000000000 T bpf_fentry_test1\n");
	tree_file(T "events/sched/sched_switch/trigger", "");
	tree_file(T "instances/boot/last_boot_info", "");
	tree_file("/sys/kernel/btf/nfs", "");
	return 0;
}

static int clean(void **state)
{
	tree_remove();
	return 0;
}

static struct fathom_features *probe(void)
{
	struct fathom_features *features = NULL;

	features_probe_at(root, 0, &features, NULL);
	return features;
}

static const char *answer(const struct fathom_features *features, const char *id)
{
	const struct fathom_feature *feature = fathom_features_find(features, id);

	return feature ? fathom_feature_state_name(feature->state) : "missing";
}

static void answers_from_files(void **state)
{
	_cleanup_features_ struct fathom_features *features = probe();

	require(features);
	assert_string_equal(answer(features, "tracer.function"), "yes");
	assert_string_equal(answer(features, "tracer.function_graph"), "no");
	assert_string_equal(answer(features, "probe.fprobe"), "yes");
	assert_string_equal(answer(features, "probe.tprobe"), "no");
	assert_string_equal(answer(features, "probe.btf-args"), "yes");
	assert_string_equal(answer(features, "probe.kprobe"), "yes");
	assert_string_equal(answer(features, "probe.uprobe"), "no");
	assert_string_equal(answer(features, "probe.eprobe"), "no");
	assert_string_equal(answer(features, "instances"), "yes");
	assert_string_equal(answer(features, "ring.mmap"), "yes");
	assert_string_equal(answer(features, "fgraph.instance"), "no");
	assert_string_equal(answer(features, "error-log"), "yes");
	assert_string_equal(answer(features, "snapshot"), "no");
	assert_string_equal(answer(features, "triggers"), "yes");
	assert_string_equal(answer(features, "ring.persistent"), "yes");
	assert_string_equal(answer(features, "bpf.module-btf"), "yes");
	assert_string_equal(answer(features, "bpf.btf"), "no");
	assert_string_equal(answer(features, "no.such"), "missing");
	assert_string_equal(fathom_features_find(features, "clocks")->value,
			    "local global x86-tsc");
}

/* Without addresses in the list of functions, those of kallsyms suffice, if visible. */
static void resolves_ambiguous_names(void **state)
{
	static const struct {
		const char *kallsyms, *answer;
		bool instead;
	} cases[] = {
		{ "0000000000000000 A percpu\nffffffff81000000 T _stext\n", "yes", true },
		{ "0000000000000000 A percpu\n0000000000000000 T _stext\n", "no", false },
		{ "", "no", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_features_ struct fathom_features *features = NULL;

		tree_file("/proc/kallsyms", cases[i].kallsyms);
		features = probe();
		require(features);
		assert_string_equal(answer(features, "symbol-addrs"), cases[i].answer);
		assert_string_equal(answer(features, "filter-addrs"), "no");
		assert_int_equal(*fathom_features_find(features, "filter-addrs")->instead != '\0',
				 cases[i].instead);
	}
}

static void names_workarounds(void **state)
{
	_cleanup_features_ struct fathom_features *features = probe();
	const struct fathom_feature *hist;

	require(features);
	hist = fathom_features_find(features, "hist");
	assert_int_equal(hist->state, FATHOM_FEATURE_NO);
	assert_string_not_equal(hist->instead, "");
	assert_string_equal(hist->fix, "a kernel built with CONFIG_HIST_TRIGGERS");
}

static void opens_nothing_below_another_root(void **state)
{
	_cleanup_features_ struct fathom_features *features = probe();
	static const char *const opened[] = { "perf.software",	 "bpf.kprobe", "bpf.ringbuf",
					      "perf.breakpoint", "bpf.fentry", "bpf.kprobe-multi" };

	require(features);
	for (size_t i = 0; i < ARRAY_SIZE(opened); i++)
		assert_string_equal(answer(features, opened[i]), "unknown");
}

static void reaches_a_verdict(void **state)
{
	_cleanup_features_ struct fathom_features *without = probe(), *with = NULL, *gone = NULL;

	require(without);
	assert_int_equal(fathom_features_verdict(without), FATHOM_VERDICT_LIMITED);
	assert_string_not_equal(fathom_features_obstacle(without), "");
	tree_file(T "available_tracers", "function_graph function nop\n");
	with = probe();
	if (succeeds(with))
		assert_int_equal(fathom_features_verdict(with), FATHOM_VERDICT_USABLE);
	tree_file("/proc/self/mountinfo", "");
	gone = probe();
	require(gone);
	assert_int_equal(fathom_features_verdict(gone), FATHOM_VERDICT_UNUSABLE);
	assert_string_equal(answer(gone, "tracer.function"), "unknown");
	assert_non_null(strstr(fathom_features_advice(gone), "--mount"));
}

static void root_does_not_help_under_lockdown(void **state)
{
	_cleanup_features_ struct fathom_features *features = NULL;

	tree_file("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	/* A tracing directory that may not be searched. */
	tree_unlink(T "current_tracer");
	features = probe();
	require(features);
	assert_int_equal(fathom_features_verdict(features), FATHOM_VERDICT_UNUSABLE);
	assert_non_null(strstr(fathom_features_obstacle(features), "locked down"));
	assert_null(strstr(fathom_features_advice(features), "sudo"));
}

/* Integrity mode forbids changing the running kernel, but not tracing it. */
static void only_confidentiality_refuses_root(void **state)
{
	struct asker asker = { .host = { .is_root = true, .lockdown = LOCKDOWN_INTEGRITY } };
	struct arena arena = { 0 };
	struct fathom_feature feature = { 0 };

	asker.arena = &arena;
	answer_from_errno(&asker, &feature, -EPERM, "trying");
	assert_int_equal(feature.state, FATHOM_FEATURE_UNKNOWN);
	asker.host.lockdown = LOCKDOWN_CONFIDENTIALITY;
	answer_from_errno(&asker, &feature, -EPERM, "trying");
	assert_int_equal(feature.state, FATHOM_FEATURE_NO);
	arena_done(&arena);
}

static void every_missing_feature_has_a_reason(void **state)
{
	_cleanup_features_ struct fathom_features *features = probe();

	for (size_t i = 0; features && i < fathom_features_count(features); i++) {
		const struct fathom_feature *feature = fathom_features_at(features, i);

		assert_string_not_equal(feature->title, "");
		assert_string_not_equal(feature->how, "");
		if (feature->state == FATHOM_FEATURE_YES)
			continue;
		if (!*feature->why)
			fail_msg("%s does not say why", feature->id);
		if (feature->state != FATHOM_FEATURE_UNKNOWN && !*feature->fix &&
		    !str_eq(feature->group, "caution"))
			fail_msg("%s does not say what would change it", feature->id);
	}
	if (succeeds(features))
		assert_null(fathom_features_at(features, fathom_features_count(features)));
}

static void the_table_is_consistent(void **state)
{
	for (size_t i = 0; questions[i].id; i++) {
		const struct question *q = &questions[i];
		bool found = !q->instead_id;

		for (size_t j = 0; questions[j].id; j++) {
			found |= q->instead_id && str_eq(q->instead_id, questions[j].id);
			if (j != i)
				assert_string_not_equal(q->id, questions[j].id);
		}
		if (!found)
			fail_msg("%s: no such feature: %s", q->id, q->instead_id);
		if (i && !str_eq(q->group, questions[i - 1].group))
			for (size_t j = 0; j < i; j++)
				if (str_eq(q->group, questions[j].group))
					fail_msg("group %s stands in two places", q->group);
	}
}

static void recognizes_names_of_exited_processes(void **state)
{
	struct asker asker = { .name = "fathom_probe_1_2" };

	assert_false(is_dead_name(&asker, "fathom_probe_1_2"));
	assert_false(is_dead_name(&asker, "other"));
	assert_false(is_dead_name(&asker, "fathom_probe_x_1"));
	assert_false(is_dead_name(&asker, "fathom_probe_99999999999_1"));
	assert_false(is_dead_name(&asker, "fathom_probe_4194304"));
	/* Not alive here, but from another PID namespace, where it may be. */
	assert_false(is_dead_name(&asker, "fathom_probe_4194304_1"));
}

static int probe_and_free(void *arg)
{
	_cleanup_features_ struct fathom_features *features = NULL;

	return features_probe_at(root, 0, &features, NULL);
}

static void survives_failing_allocations(void **state)
{
	oom_check(probe_and_free, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(answers_from_files, make, clean),
		cmocka_unit_test_setup_teardown(resolves_ambiguous_names, make, clean),
		cmocka_unit_test_setup_teardown(names_workarounds, make, clean),
		cmocka_unit_test_setup_teardown(opens_nothing_below_another_root, make, clean),
		cmocka_unit_test_setup_teardown(reaches_a_verdict, make, clean),
		cmocka_unit_test_setup_teardown(root_does_not_help_under_lockdown, make, clean),
		cmocka_unit_test(only_confidentiality_refuses_root),
		cmocka_unit_test_setup_teardown(every_missing_feature_has_a_reason, make, clean),
		cmocka_unit_test(the_table_is_consistent),
		cmocka_unit_test(recognizes_names_of_exited_processes),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, make, clean),
	};
	/*
	 * The torture mode runs this program once per allocation: one probe run is enough.
	 */
	const struct CMUnitTest once[] = {
		cmocka_unit_test_setup_teardown(answers_from_files, make, clean),
	};

	if (getenv("FATHOM_FAIL_ALLOC"))
		return cmocka_run_group_tests(once, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

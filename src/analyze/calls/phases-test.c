/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/calls/phases.h"
#include "base/cleanup.h"
#include "base/mem.h"

DEFINE_CLEANUP(struct phases, phases_free);

static struct phases *parse(const char *text, struct fathom_err *err)
{
	struct phases *phases = NULL;
	int r = phases_parse(text, strlen(text), &phases, err);

	if (r < 0)
		assert_null(phases);
	return phases;
}

static const char *name_of(const struct phases *phases, const char *function)
{
	int number = phases_find(phases, function);

	return number == PHASE_NONE ? "none" : phases_get(phases, number)->name;
}

static void the_first_rule_decides(void **state)
{
	struct fathom_err err = { 0 };
	_cleanup_(phases_free_p) struct phases *phases =
		parse("# a comment\n[noise: locks] wait a little\n_raw_* mutex_lock\n\n"
		      "[opening] gets a file\n  do_*open*\n[all the rest]\ndo_*\n",
		      &err);

	require(phases);
	assert_int_equal(phases_count(phases), 3);
	assert_string_equal(name_of(phases, "_raw_spin_lock"), "locks");
	assert_true(phases_get(phases, 0)->noise);
	assert_string_equal(phases_get(phases, 0)->text, "wait a little");
	assert_string_equal(name_of(phases, "mutex_lock"), "locks");
	assert_string_equal(name_of(phases, "mutex_lock_nested"), "none");
	assert_string_equal(name_of(phases, "do_filp_open"), "opening");
	assert_string_equal(name_of(phases, "do_exit"), "all the rest");
	assert_false(phases_get(phases, 2)->noise);
}

static void reports_errors(void **state)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{ "\nvfs_read\n", "line 2: function 'vfs_read' outside of a phase" },
		{ "[reading\n", "line 1: unclosed '['" },
		{ "[noise: ]\n", "line 1: empty phase name" },
		{ "[a]\n/(/\n", "line 2" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct fathom_err err = { 0 };

		assert_null(parse(wrong[i].text, &err));
		if (!mem_fault)
			assert_non_null(strstr(err.message, wrong[i].message));
	}
}

static void groups_by_the_first_word(void **state)
{
	size_t len;
	const char *prefix = phases_prefix("__ext4_find_entry", &len);

	assert_int_equal(len, 4);
	assert_memory_equal(prefix, "ext4", 4);
	prefix = phases_prefix("vmalloc", &len);
	assert_int_equal(len, 7);
	prefix = phases_prefix("copy.constprop.0", &len);
	assert_int_equal(len, 4);
}

/* Common functions and their phases. Catches noise rules that would hide them. */
static void classifies_common_functions(void **state)
{
	static const struct {
		const char *function, *phase;
	} known[] = {
		{ "link_path_walk", "path lookup" },
		{ "filename_lookup", "path lookup" },
		{ "inode_permission", "permission check" },
		{ "security_file_open", "permission check" },
		{ "do_dentry_open", "file open" },
		{ "ext4_file_open", "file open" },
		{ "filemap_read", "page cache" },
		{ "page_cache_ra_unbounded", "page cache" },
		{ "copy_page_to_iter", "user copy" },
		{ "_copy_to_user", "user copy" },
		{ "handle_mm_fault", "address space" },
		{ "do_mmap", "address space" },
		{ "submit_bio_noacct", "block layer" },
		{ "blk_mq_submit_bio", "block layer" },
		{ "ext4_sync_file", "ext4" },
		{ "jbd2_log_wait_commit", "ext4" },
		{ "schedule", "scheduler" },
		{ "try_to_wake_up", "scheduler" },
		{ "do_nanosleep", "timers" },
		{ "futex_wait", "futex" },
		{ "pipe_read", "pipe" },
		{ "tcp_sendmsg", "network" },
		{ "unix_stream_connect", "network" },
		{ "do_exit", "process exit" },
		{ "exit_to_user_mode_prepare", "kernel entry and exit" },
		{ "copy_process", "fork" },
		{ "bprm_execve", "exec" },
		{ "load_elf_binary", "exec" },
		{ "rcu_read_unlock_strict", "RCU" },
		{ "_raw_spin_lock_irqsave", "locks" },
		{ "mutex_lock", "locks" },
		{ "kmem_cache_alloc", "kernel memory" },
		{ "mem_cgroup_charge", "accounting" },
		{ "syscall_trace_enter.constprop.0", "tracing" },
		{ "tty_write", "terminal" },
		{ "do_epoll_wait", "event wait" },
		{ "do_sigaction", "signals" },
		{ "vfs_read", "file I/O" },
		{ "do_wait", "child wait" },
		{ "iterate_dir", "directory" },
		{ "vfs_statx", "file attributes" },
	};
	struct fathom_err err = { 0 };
	_cleanup_(phases_free_p) struct phases *phases = parse(phases_default, &err);

	require(phases);
	assert_int_equal(strlen(phases_default), phases_default_len);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strcmp(name_of(phases, known[i].function), known[i].phase) != 0)
			fail_msg("%s: %s, not %s", known[i].function,
				 name_of(phases, known[i].function), known[i].phase);
	for (int i = 0; i < phases_count(phases); i++)
		assert_true(*phases_get(phases, i)->text);
}

static int parse_once(void *arg)
{
	struct phases *phases = NULL;
	int r = phases_parse("[a] b\nc d\n", 10, &phases, NULL);

	phases_free(phases);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(parse_once, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_rule_decides),
		cmocka_unit_test(reports_errors),
		cmocka_unit_test(groups_by_the_first_word),
		cmocka_unit_test(classifies_common_functions),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

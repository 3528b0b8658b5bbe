/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <errno.h>

#include "analyze/why/meanings.h"
#include "base/cleanup.h"
#include "base/mem.h"

DEFINE_CLEANUP(struct meanings, meanings_free);

static struct meanings *parse(const char *text, struct fathom_err *err)
{
	struct meanings *meanings = NULL;
	int r = meanings_parse(text, strlen(text), &meanings, err);

	if (r < 0)
		assert_null(meanings);
	return meanings;
}

static void reads_rules(void **state)
{
	struct fathom_err err = { 0 };
	_cleanup_(meanings_free_p) struct meanings *meanings = parse(
		"# a comment\n\ncheck: security_* may_open\nskip: _raw_*\n  zero EPERM: capable\n"
		"watch: path_openat do_open*\nsilent: rcu_*\nthrough: find_*\nswaps: filter\n"
		"becomes ENOIOCTLCMD ENOTTY: nobody knows it\n"
		"generic_* EACCES EPERM: the bits: they say no\ngeneric_file: all others\n",
		&err);

	require(meanings);
	assert_true(meanings_is_check(meanings, "security_inode_permission"));
	assert_false(meanings_is_check(meanings, "generic_permission"));
	assert_true(meanings_is_skipped(meanings, "_raw_spin_lock"));
	assert_false(meanings_is_skipped(meanings, "may_open"));
	assert_true(meanings_is_watched(meanings, "do_open_execat"));
	assert_false(meanings_is_watched(meanings, "may_open"));
	assert_true(meanings_is_silent(meanings, "rcu_read_lock"));
	assert_false(meanings_is_silent(meanings, "_raw_spin_lock"));
	assert_true(meanings_is_through(meanings, "find_other"));
	assert_false(meanings_is_through(meanings, "filter"));
	assert_true(meanings_is_swapping(meanings, "filter"));
	assert_false(meanings_is_swapping(meanings, "find_other"));
	assert_int_equal(meanings_error_of_zero(meanings, "capable"), EPERM);
	assert_int_equal(meanings_error_of_zero(meanings, "may_open"), 0);
	assert_string_equal(meanings_text(meanings, "generic_permission", EACCES),
			    "the bits: they say no");
	assert_string_equal(meanings_text(meanings, "generic_permission", EPERM),
			    "the bits: they say no");
	assert_null(meanings_text(meanings, "generic_permission", ENOENT));
	assert_string_equal(meanings_text(meanings, "generic_file", ENOENT), "all others");
	assert_string_equal(meanings_becomes(meanings, 515, ENOTTY), "nobody knows it");
	assert_null(meanings_becomes(meanings, ENOTTY, 515));
	assert_string_equal(meanings_becomes(meanings, EACCES, EACCES), "");
}

static void reports_errors(void **state)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{ "\nvfs_read\n", "line 2: no ': ' in the rule" },
		{ "EACCES: no\n", "line 1: no function given" },
		{ "check: \n", "line 1: no function given" },
		{ "a EACCES: \n", "line 1: no explanation given" },
		{ "becomes EACCES: no\n", "line 1: invalid 'becomes': expected two errors" },
		{ "/(/: no\n", "line 1" },
		{ "a E2BIG E2BIG E2BIG E2BIG E2BIG E2BIG E2BIG E2BIG E2BIG: no\n",
		  "line 1: too many errors: expected at most 8" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct fathom_err err = { 0 };

		assert_null(parse(wrong[i].text, &err));
		if (!mem_fault && !strstr(err.message, wrong[i].message))
			fail_msg("'%s': '%s'", wrong[i].text, err.message);
	}
}

static void the_built_in_rules_are_valid(void **state)
{
	struct fathom_err err = { 0 };
	_cleanup_(meanings_free_p) struct meanings *meanings = NULL;

	if (meanings_parse(meanings_default, meanings_default_len, &meanings, &err) < 0)
		print_message("%s\n", err.message);
	require(meanings);
	assert_non_null(meanings_text(meanings, "generic_permission", EACCES));
	assert_non_null(meanings_text(meanings, "alloc_fd", EMFILE));
	assert_true(meanings_is_check(meanings, "security_inode_permission"));
	assert_int_equal(meanings_error_of_zero(meanings, "ns_capable"), EPERM);
	assert_true(meanings_is_watched(meanings, "generic_permission"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_rules),
		cmocka_unit_test(reports_errors),
		cmocka_unit_test(the_built_in_rules_are_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

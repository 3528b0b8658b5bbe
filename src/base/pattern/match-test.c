/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/pattern/match.h"

/* Returns 1 for a match, 0 for none, negative if the pattern does not compile. */
static int fits(const char *pattern, unsigned flags, const char *name)
{
	struct match m;
	int r = match_init(&m, pattern, flags, NULL);

	if (r < 0)
		return r;
	r = match_test(&m, name);
	match_done(&m);
	return r;
}

static void matches_names(void **state)
{
	static const struct {
		const char *pattern;
		unsigned flags;
		const char *name;
		int want;
	} cases[] = {
		{ "fstat", 0, "vfs_fstat", 1 },
		{ "fstat", 0, "vfs_fsta", 0 },
		{ "fstat", MATCH_WHOLE, "vfs_fstat", 0 },
		{ "vfs_fstat", MATCH_WHOLE, "vfs_fstat", 1 },
		{ "VFS_FSTAT", MATCH_WHOLE | MATCH_ICASE, "vfs_fstat", 1 },
		{ "", 0, "anything", 1 },
		{ "FSTAT", 0, "vfs_fstat", 0 },
		{ "FSTAT", MATCH_ICASE, "vfs_fstat", 1 },
		{ "*", 0, "", 1 },
		{ "***", 0, "x", 1 },
		{ "vfs_*", 0, "vfs_read", 1 },
		{ "vfs_*", 0, "xvfs_read", 0 },
		{ "vfs_*", 0, "vfs", 0 },
		{ "VFS_*", MATCH_ICASE, "vfs_read", 1 },
		{ "*_read", 0, "vfs_read", 1 },
		{ "*_read", 0, "vfs_reads", 0 },
		{ "*_read", 0, "d", 0 },
		{ "*_READ", MATCH_ICASE, "vfs_read", 1 },
		{ "*fs_r*", 0, "vfs_read", 1 },
		{ "*fs_x*", 0, "vfs_read", 0 },
		{ "vfs_?ead", 0, "vfs_read", 1 },
		{ "vfs_?ead", 0, "vfs_ead", 0 },
		{ "v*_*d", 0, "vfs_a_read", 1 },
		{ "v*_*d*", 0, "vfs_a_re", 0 },
		{ "a*b*c", 0, "abbbbc", 1 },
		{ "a*b*c", 0, "acb", 0 },
		{ "vfs_[rw]*", 0, "vfs_write", 1 },
		{ "vfs_[!rw]*", 0, "vfs_write", 0 },
		{ "vfs_[^rw]*", 0, "vfs_open", 1 },
		{ "x[0-9]", 0, "x5", 1 },
		{ "x[0-9]", 0, "xa", 0 },
		{ "x[A-C]", MATCH_ICASE, "xb", 1 },
		{ "x[]a]", 0, "x]", 1 },
		{ "x[a-]", 0, "x-", 1 },
		{ "x[", 0, "x[", 1 },
		{ "x[ab", 0, "xa", 0 },
		{ "\\*x?", 0, "*xy", 1 },
		{ "\\*x?", 0, "axy", 0 },
		{ "x[[:digit:]]", 0, "x5", 1 },
		{ "/^vfs_(read|write)$/", 0, "vfs_read", 1 },
		{ "/^vfs_(read|write)$/", 0, "vfs_readv", 0 },
		{ "/READ/", MATCH_ICASE, "vfs_read", 1 },
		{ "//", 0, "x", 1 },
		{ "/", 0, "a/b", 1 },
		{ "_r.ad$", MATCH_REGEX, "vfs_read", 1 },
		{ "_r.ad$", MATCH_REGEX, "vfs_reads", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int got = fits(cases[i].pattern, cases[i].flags, cases[i].name);

		if (got != cases[i].want)
			fail_msg("'%s' on '%s': %d", cases[i].pattern, cases[i].name, got);
	}
}

static void uses_the_fast_path(void **state)
{
	static const struct {
		const char *pattern;
		enum match_kind kind;
	} cases[] = {
		{ "*", MATCH_KIND_ANY },	   { "a*", MATCH_KIND_PREFIX },
		{ "*a", MATCH_KIND_SUFFIX },	   { "*a*", MATCH_KIND_SUBSTRING },
		{ "a", MATCH_KIND_SUBSTRING },	   { "a*b", MATCH_KIND_GLOB },
		{ "a?", MATCH_KIND_GLOB },	   { "/a/", MATCH_KIND_REGEX },
		{ "**a**", MATCH_KIND_SUBSTRING },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct match m;

		assert_int_equal(match_init(&m, cases[i].pattern, 0, NULL), 0);
		assert_int_equal(m.kind, cases[i].kind);
		match_done(&m);
	}
}

static void reports_errors(void **state)
{
	struct fathom_err err = { 0 };
	struct match m = { .len = 77 };

	if (succeeds(match_init(&m, "/a(b/", 0, &err) != -ENOMEM))
		assert_non_null(strstr(fathom_err_text(&err), "invalid regular expression 'a(b'"));
	assert_int_equal(m.len, 77);
	if (succeeds(match_init(&m, "[z-a]*", 0, &err) != -ENOMEM))
		assert_non_null(strstr(fathom_err_text(&err), "invalid pattern '[z-a]*'"));
	assert_int_equal(m.len, 77);
}

/* With a run time exponential in the number of stars, this would never end. */
static void stays_fast_with_many_stars(void **state)
{
	char name[2001];
	int got;

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	got = fits("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", 0, name);
	if (succeeds(got != -ENOMEM))
		assert_int_equal(got, 0);
}

static int compile_all(void *arg)
{
	static const char *const patterns[] = { "plain", "a*b", "/a|b/" };

	for (size_t i = 0; i < 3; i++) {
		int r = fits(patterns[i], 0, "x");

		if (r < 0)
			return r;
	}
	struct matches m;
	int r = matches_init(&m, (char *[]){ (char *)"x", (char *)"/y/" }, 2, 0, NULL);

	if (r == 0)
		matches_done(&m);
	return r;
}

static void finds_all_matching_patterns(void **state)
{
	char *patterns[] = { (char *)"read", (char *)"*d", (char *)"none" };
	struct matches m;

	assert_int_equal(matches_init(&m, patterns, 3, 0, NULL), 0);
	assert_true(matches_test(&m, "vfs_read"));
	assert_false(matches_test(&m, "vfs_write"));
	assert_true(m.used[0] && m.used[1] && !m.used[2]);
	matches_done(&m);
	assert_int_equal(matches_init(&m, NULL, 0, 0, NULL), 0);
	assert_true(matches_test(&m, "anything"));
	matches_done(&m);
}

static void survives_failing_allocations(void **state)
{
	oom_check(compile_all, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_names),
		cmocka_unit_test(uses_the_fast_path),
		cmocka_unit_test(reports_errors),
		cmocka_unit_test(stays_fast_with_many_stars),
		cmocka_unit_test(finds_all_matching_patterns),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

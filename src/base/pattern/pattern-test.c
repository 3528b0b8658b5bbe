/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fnmatch.h>
#include <regex.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/pattern/pattern.h"

static bool matches(enum pattern_kind kind, unsigned flags, const char *text, const char *subject)
{
	struct arena arena = { 0 };
	const struct pattern *pattern;
	bool result = false;

	if (pattern_compile(&arena, kind, flags, text, strlen(text), &pattern, NULL) == 0)
		result = pattern_match(pattern, subject, strlen(subject));
	arena_done(&arena);
	return result;
}

static bool compiles(enum pattern_kind kind, const char *text)
{
	struct arena arena = { 0 };
	const struct pattern *pattern;
	int r = pattern_compile(&arena, kind, 0, text, strlen(text), &pattern, NULL);

	arena_done(&arena);
	return r == 0;
}

static bool glob(const char *text, const char *subject)
{
	return matches(PATTERN_GLOB, 0, text, subject);
}

static bool regex(const char *text, const char *subject)
{
	return matches(PATTERN_REGEX, PATTERN_ICASE, text, subject);
}

static bool extended(const char *text, const char *subject)
{
	return matches(PATTERN_EXTENDED, PATTERN_ICASE, text, subject);
}

static void globs_match_the_whole_text(void **state)
{
	assert_true(glob("vfs_*", "vfs_read"));
	assert_true(glob("*", ""));
	assert_true(glob("*_r?ad*", "vfs_read"));
	assert_true(glob("[a-c]*[!0-9]", "bx"));
	assert_true(glob("a\\*b", "a*b"));
	assert_true(glob("a[b", "a[b"));
	assert_true(glob("\\[x", "[x"));
	assert_true(glob("*a*b*c*", "xxaxxbxxbxxcxx"));
	assert_true(glob("[]x]", "]"));
	assert_false(glob("vfs_*", "xvfs_read"));
	assert_false(glob("vfs", "vfs_read"));
	assert_false(glob("a?", "a"));
	assert_false(glob("[!a]", "a"));
	assert_false(glob("a*b", "acbd"));
}

static void regexes_search(void **state)
{
	assert_true(regex("b", "abc"));
	assert_true(regex("^a.*C$", "abbbC"));
	assert_true(regex("\\(ab\\)*c", "ababc"));
	assert_true(regex("^\\(foo\\|bar\\)$", "BAR"));
	assert_true(regex("^x\\{2,3\\}$", "xxx"));
	assert_true(regex("^x\\{2,\\}$", "xxxxx"));
	assert_true(regex("^[[:digit:]]\\+$", "123"));
	assert_true(regex("\\bfoo\\b", "a foo b"));
	assert_true(regex("*a", "*a"));
	assert_true(regex("a$b", "a$b"));
	assert_true(regex("", "anything"));
	assert_true(regex("^\\w*\\W\\s$", "ab  "));
	assert_false(regex("^x\\{2,3\\}$", "xxxx"));
	assert_false(regex("^b", "abc"));
	assert_false(regex("\\bfoo\\b", "afoo"));
	assert_false(regex("[^a]", "aaA"));
	assert_false(matches(PATTERN_REGEX, 0, "B", "abc"));
}

static void extended_regexes_search(void **state)
{
	assert_true(extended("b", "abc"));
	assert_true(extended("^(foo|bar)$", "BAR"));
	assert_true(extended("^(ab)+c?$", "ababc"));
	assert_true(extended("^x{2,3}$", "xxx"));
	assert_true(extended("^x{2,}$", "xxxxx"));
	assert_true(extended("^x{,2}$", "xx"));
	assert_true(extended("^\\(\\)\\|\\+\\?\\{\\}\\*$", "()|+?{}*"));
	assert_true(extended("a)b}", "a)b}"));
	assert_true(extended("^$", ""));
	assert_true(extended("x|^a|b$", "cb"));
	assert_true(extended("(^a|b)c", "xbc"));
	assert_true(extended("()|x", "y"));
	assert_true(extended("|x", "y"));
	assert_true(extended("\\bfoo\\>", "a foo b"));
	assert_true(extended("[[:digit:]]+[a-z]{2}", "x12ab"));
	assert_true(extended("[(|+?{]$", "|"));
	assert_false(extended("^x{2,3}$", "xxxx"));
	assert_false(extended("(^a|b)c", "xac"));
	assert_false(extended("a^b", "a^b"));
	assert_false(extended("a$b", "a$b"));
	assert_false(extended("\\bfoo", "afoo"));
	assert_false(extended("a+b", "a+b"));
	assert_false(matches(PATTERN_EXTENDED, 0, "B|C", "abc"));
}

/* A search starts only where a match can start; it must not skip any such position. */
static void matches_at_any_position(void **state)
{
	assert_true(extended("b\\b", "ab b"));
	assert_true(extended("\\Bb", "b ab"));
	assert_true(extended("\\<b", "ab b"));
	assert_true(extended("x*$", "aaa"));
	assert_true(extended("a*b", "aacaab"));
	assert_true(extended("(a|b*c)d", "aabcd"));
	assert_true(extended("[^a]", "aab"));
	assert_true(extended(".$", "ab"));
	assert_true(extended("(^|_)read", "vfs_read"));
	assert_true(extended("(^|_)read", "READ"));
	assert_false(extended("(^|_)read", "vread"));
	assert_false(extended("^b", "ab"));
	assert_false(extended(".", ""));
}

static void expect_error(enum pattern_kind kind, const char *text, const char *message,
			 unsigned offset)
{
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	const struct pattern *pattern;

	assert_int_equal(pattern_compile(&arena, kind, 0, text, strlen(text), &pattern, &err),
			 -EINVAL);
	assert_non_null(strstr(fathom_err_text(&err), message));
	assert_int_equal(err.offset, offset);
	arena_done(&arena);
}

static void errors_have_positions(void **state)
{
	char deep[200] = "";

	expect_error(PATTERN_REGEX, "ab[cd", "unclosed '['", 2);
	expect_error(PATTERN_REGEX, "a\\(b", "unclosed '\\('", 1);
	expect_error(PATTERN_REGEX, "ab\\)", "unexpected '\\)'", 2);
	expect_error(PATTERN_REGEX, "\\(a\\)\\1", "back reference", 5);
	expect_error(PATTERN_REGEX, "a\\{1", "repeat count", 4);
	expect_error(PATTERN_REGEX, "a\\{3,2\\}", "repeat count", 6);
	expect_error(PATTERN_REGEX, "a\\{999\\}", "at most 255", 3);
	expect_error(PATTERN_REGEX, "[z-a]", "invalid range", 1);
	expect_error(PATTERN_REGEX, "[[:foo:]]", "character class", 1);
	expect_error(PATTERN_REGEX, "ab\\", "backslash", 2);
	expect_error(PATTERN_REGEX, "a\\{255\\}\\{255\\}", "too large", 15);
	expect_error(PATTERN_GLOB, "[z-a]", "invalid range", 1);
	expect_error(PATTERN_EXTENDED, "a(b", "unclosed '('", 1);
	expect_error(PATTERN_EXTENDED, "(a)\\1", "back reference", 3);
	expect_error(PATTERN_EXTENDED, "a{1", "expected {2}", 3);
	expect_error(PATTERN_EXTENDED, "a{x}", "expected {2}", 2);
	expect_error(PATTERN_EXTENDED, "a|*b", "nothing to repeat before '*'", 2);
	expect_error(PATTERN_EXTENDED, "(?a)", "nothing to repeat before '?'", 1);
	expect_error(PATTERN_EXTENDED, "^+", "nothing to repeat before '+'", 1);
	expect_error(PATTERN_EXTENDED, "{2}", "nothing to repeat before '{'", 0);
	expect_error(PATTERN_REGEX, "\\{2\\}", "nothing to repeat before '\\{'", 0);
	for (size_t i = 0; i < 40; i++)
		memcpy(deep + 2 * i, "\\(", 3);
	expect_error(PATTERN_REGEX, deep, "nested", 64);
	memset(deep, '(', 40);
	expect_error(PATTERN_EXTENDED, deep, "nested", 32);
}

/* Nested repeats that keep a backtracking matcher busy for years. */
static void bad_patterns_take_bounded_time(void **state)
{
	char text[4097];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(regex("\\(\\(\\(a*\\)*\\)*\\)*b", text));
	assert_false(glob("*a*a*a*a*a*a*a*a*a*a*b", text));
	assert_false(extended("(((a*)*)+)*b", text));
	assert_true(extended("()*()+(){3,}", text));
	assert_true(regex("\\(\\)*\\(\\)\\+\\(\\)\\{3,\\}", text));
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

static void random_text(uint32_t *seed, const char *const *parts, unsigned n, char *text)
{
	unsigned count = next_random(seed) % 8;

	*text = '\0';
	for (unsigned i = 0; i < count; i++) {
		const char *part = parts[next_random(seed) % n];

		memcpy(text, part, strlen(part) + 1);
		text += strlen(part);
	}
}

/* Patterns that the C library accepts must match the same text. */
static void agrees_with_the_c_library(void **state)
{
	static const char *const parts[] = { "a",    "b",	 "\\(",	    "\\)",	 "*",
					     "\\+",  "\\?",	 "\\|",	    ".",	 "[ab]",
					     "[^a]", "x",	 "\\{2\\}", "\\{1,2\\}", "^",
					     "$",    "\\{,2\\}", "A" };
	static const char *const globs[] = { "a",    "b", "*",	 "?", "[ab]",
					     "[!a]", "x", "\\*", "[", "]" };
	static const char *const letters[] = { "a", "b", "x", "A", "*", "]" };
	bool (*fault)(void) = mem_fault;
	uint32_t seed = 1;
	unsigned compared = 0;
	unsigned rounds = mem_fault ? 120 : 60000;

	/* Thousands of similar allocations: not worth failing one by one. */
	mem_fault = NULL;
	for (unsigned i = 0; i < rounds; i++) {
		char text[80], subject[40];
		regex_t re;

		random_text(&seed, letters, 6, subject);
		random_text(&seed, globs, 10, text);
		if (glob(text, subject) != (fnmatch(text, subject, 0) == 0))
			fail_msg("glob '%s' on '%s'", text, subject);
		random_text(&seed, parts, 18, text);
		/*
		 * glibc's matcher gets these wrong: repetitions of anchors, or of expressions that
		 * can be empty.
		 */
		if (strstr(text, "^*") || strstr(text, "$*") || strstr(text, "^\\") ||
		    strstr(text, "$\\") || regcomp(&re, text, REG_ICASE | REG_NOSUB))
			continue;
		if (regex(text, subject) != (regexec(&re, subject, 0, NULL, 0) == 0))
			fail_msg("regex '%s' on '%s'", text, subject);
		regfree(&re);
		compared++;
	}
	mem_fault = fault;
	assert_true(compared > rounds / 12);
}

/* glibc gets repeats of word boundaries wrong, so none is among the parts. */
static void extended_agree_with_the_c_library(void **state)
{
	static const char *const parts[] = {
		"a",   "b",	"(", ")", "*", "+",    "?",   "|",   ".",   "[ab]", "[^a]", "x",
		"{2}", "{1,2}", "^", "$", "A", "{,2}", "\\(", "\\|", "\\?", "(a",   "(b|",  "|b",
	};
	static const char *const letters[] = { "a", "b", "x", "A", "(", "|" };
	bool (*fault)(void) = mem_fault;
	uint32_t seed = 7;
	unsigned compared = 0;
	unsigned rounds = mem_fault ? 120 : 60000;

	/* Thousands of similar allocations: not worth failing one by one. */
	mem_fault = NULL;
	for (unsigned i = 0; i < rounds; i++) {
		char text[80], subject[40];
		regex_t re;
		bool refused;

		random_text(&seed, letters, ARRAY_SIZE(letters), subject);
		random_text(&seed, parts, ARRAY_SIZE(parts), text);
		refused = regcomp(&re, text, REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0;
		if (compiles(PATTERN_EXTENDED, text) == refused)
			fail_msg("extended '%s' should be %s", text, refused ? "wrong" : "fine");
		if (refused)
			continue;
		if (extended(text, subject) != (regexec(&re, subject, 0, NULL, 0) == 0))
			fail_msg("extended '%s' on '%s'", text, subject);
		regfree(&re);
		compared++;
	}
	mem_fault = fault;
	assert_true(compared > rounds / 4);
}

static int compile(void *arg)
{
	struct arena arena = { 0 };
	const struct pattern *pattern;
	int r = pattern_compile(&arena, PATTERN_REGEX, 0, "a[bc]*", 6, &pattern, NULL);

	arena_done(&arena);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(compile, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(globs_match_the_whole_text),
		cmocka_unit_test(regexes_search),
		cmocka_unit_test(extended_regexes_search),
		cmocka_unit_test(matches_at_any_position),
		cmocka_unit_test(errors_have_positions),
		cmocka_unit_test(bad_patterns_take_bounded_time),
		cmocka_unit_test(agrees_with_the_c_library),
		cmocka_unit_test(extended_agree_with_the_c_library),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

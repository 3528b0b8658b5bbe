/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests lookups in a small glossary, and in the built-in one. */
#include "test.h"

#include <string.h>

#include "actions/machine/glossary.h"
#include "base/cleanup.h"
#include "base/str.h"

#define SMALL                                                              \
	"# Glossary\n\nNot an **entry** at all.\n\n"                       \
	"**event, trace point** A *point* in\n`void *code` of `main`.\n\n" \
	"**kprobe**\nA probe.\n"

/* NULL: no such term. */
static const char *meaning(const char *glossary, const char *term)
{
	static char answer[4096];
	_cleanup_strbuf_ struct strbuf terms = { 0 }, text = { 0 };
	int r = glossary_find(glossary, term, &terms, &text);

	assert_true(r >= 0);
	if (!r)
		return NULL;
	snprintf(answer, sizeof(answer), "%s: %s", strbuf_str(&terms), strbuf_str(&text));
	return answer;
}

static void finds_each_term_of_an_entry(void **state)
{
	static const char *const entry = "event, trace point: A point in 'void *code' of main.";

	require_memory();
	require(meaning(SMALL, "event"));
	assert_string_equal(meaning(SMALL, "event"), entry);
	assert_string_equal(meaning(SMALL, "trace point"), entry);
	assert_string_equal(meaning(SMALL, "EVENT"), entry);
	assert_string_equal(meaning(SMALL, "kprobe"), "kprobe: A probe.");
}

static void finds_nothing_else(void **state)
{
	static const char *const others[] = {
		"",	   "entry", "even", "events", "trace", "point", "event, trace point",
		"kprobe*", "*"
	};

	require_memory();
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_null(meaning(SMALL, others[i]));
	assert_null(meaning("", "event"));
	assert_null(meaning("\n**event", "event"));
}

static void has_each_term_once(void **state)
{
	char terms[512], *rest, *term;
	size_t n = 0, len;

	require_memory();
	assert_int_equal(strlen(glossary_default), glossary_default_len);
	for (const char *at = glossary_default; (at = strstr(at, "\n**")); n++) {
		at += 3;
		len = strcspn(at, "*");
		require(len < sizeof(terms));
		memcpy(terms, at, len);
		terms[len] = '\0';
		for (rest = terms; (term = str_next_word(&rest, ","));) {
			term += strspn(term, " ");
			require(meaning(glossary_default, term));
			/* A second entry for the same term would never be found. */
			assert_memory_equal(meaning(glossary_default, term), at, len);
			assert_null(strpbrk(strchr(meaning(glossary_default, term), ':'), "`\n"));
		}
	}
	assert_true(n > 40);
}

static int find_event(void *arg)
{
	_cleanup_strbuf_ struct strbuf terms = { 0 }, text = { 0 };
	int r = glossary_find(SMALL, arg, &terms, &text);

	return r < 0 ? r : 0;
}

static void reports_lack_of_memory(void **state)
{
	static char event[] = "event";

	oom_check(find_event, event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_each_term_of_an_entry),
		cmocka_unit_test(finds_nothing_else),
		cmocka_unit_test(has_each_term_once),
		cmocka_unit_test(reports_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

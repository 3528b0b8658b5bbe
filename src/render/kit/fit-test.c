/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <locale.h>

#include "base/cleanup.h"
#include "render/kit/fit.h"

static const struct fit_column columns[] = { { 8, 0 }, { 16, 1 }, { 24, 2 } };

#define HEAD "   total    self   calls  name\n"
#define ROW  " 1.00 ms 0.50 ms      12  a_function\n"

enum kind {
	LINES,
	ROWS,
	TITLES
};

static char *made(unsigned width, bool cuts, bool utf8, const char *text, enum kind kind)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct out out = { .width = width, .cuts = cuts, .utf8 = utf8 };
	char *shown = NULL;
	struct fit fit;
	size_t len;
	int r;

	out.stream = open_memstream(&shown, &len);
	assert_non_null(out.stream);
	fit_init(&fit, &out, columns, 3, 10);
	strbuf_adds(&buf, text);
	if (kind == LINES)
		r = fit_write_lines(&out, &buf);
	else
		r = kind == TITLES ? fit_write_head(&fit, &buf) : fit_write(&fit, &buf);
	assert_int_equal(buf.len, 0);
	fclose(out.stream);
	if (r == 0)
		return shown;
	free(shown);
	return NULL;
}

static void check(unsigned width, bool cuts, const char *text, enum kind kind, const char *expected)
{
	_cleanup_free_ char *shown = made(width, cuts, true, text, kind);

	if (succeeds(shown != NULL))
		assert_string_equal(shown, expected);
}

static void omits_numbers_before_cutting_text(void **state)
{
	check(80, true, HEAD ROW, ROWS, HEAD ROW);
	check(40, true, HEAD, TITLES, HEAD);
	check(33, true, HEAD, TITLES, "   total    self  name …\n");
	check(33, true, ROW, ROWS, " 1.00 ms 0.50 ms  a_function\n");
	check(20, true, HEAD, TITLES, "   total  name …\n");
	check(20, true, ROW, ROWS, " 1.00 ms  a_function\n");
	check(18, true, ROW, ROWS, " 1.00 ms  a_funct…\n");
}

static void without_a_width_nothing_is_cut(void **state)
{
	check(20, false, HEAD, TITLES, HEAD);
	check(20, false, ROW, ROWS, ROW);
}

static void numbers_are_never_cut(void **state)
{
	/* The ellipsis would be inside the number, right after it, or in its unit. */
	check(20, true, "a very long name 123456\n", LINES, "a very long name …\n");
	check(20, true, "a very long one 123 more\n", LINES, "a very long one …\n");
	check(20, true, "a very long 12.3 milli\n", LINES, "a very long …\n");
	/* Whole ones remain. */
	check(20, true, "a very long 12    name of all\n", LINES, "a very long 12    n…\n");
	check(20, true, "a very long 12               name\n", LINES, "a very long 12     …\n");
	check(20, true, "a very long -12.3 seconds\n", LINES, "a very long …\n");
}

static void wide_characters_take_two_columns(void **state)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	check(18, true, "          漢字漢字\n", LINES, "          漢字漢字\n");
	check(17, true, "          漢字漢字\n", LINES, "          漢字漢…\n");
	check(16, true, "          漢字漢字\n", LINES, "          漢字…\n");
	/* A combining accent stays with its letter. */
	check(14, true, "          e\u0301e\u0301e\u0301e\u0301\n", LINES,
	      "          e\u0301e\u0301e\u0301e\u0301\n");
	check(13, true, "          e\u0301e\u0301e\u0301e\u0301\n", LINES,
	      "          e\u0301e\u0301…\n");
	setlocale(LC_CTYPE, "C");
}

static void uses_dots_without_utf8(void **state)
{
	_cleanup_free_ char *shown = made(20, true, LINES, "            a_function_name\n", LINES);

	if (succeeds(shown != NULL))
		assert_string_equal(shown, "            a_fun...\n");
}

static void names_in_the_middle_are_cut(void **state)
{
	const struct out out = { .width = 80, .cuts = true, .utf8 = true };
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	setlocale(LC_CTYPE, "C.UTF-8");
	assert_int_equal(fit_put(&buf, &out, "function", 8), 8);
	strbuf_addc(&buf, '|');
	assert_int_equal(fit_put(&buf, &out, "function", 5), 5);
	strbuf_addc(&buf, '|');
	assert_int_equal(fit_put(&buf, &out, "漢字漢字", 4), 3);
	assert_string_equal(strbuf_str(&buf), "function|func…|漢…");
	setlocale(LC_CTYPE, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(omits_numbers_before_cutting_text),
		cmocka_unit_test(without_a_width_nothing_is_cut),
		cmocka_unit_test(numbers_are_never_cut),
		cmocka_unit_test(wide_characters_take_two_columns),
		cmocka_unit_test(uses_dots_without_utf8),
		cmocka_unit_test(names_in_the_middle_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

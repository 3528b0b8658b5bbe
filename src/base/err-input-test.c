/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/err-input.h"
#include "base/err.h"

static void points_at_the_error(void **state)
{
	struct fathom_err err = { 0 };

	err_set_at(&err, -EINVAL, 4, "wrong");
	err_show_input(&err, "one two");
	assert_string_equal(err.message, "wrong\n    one two\n        ^");
	/* At the end. */
	err_set_at(&err, -EINVAL, 3, "missing");
	err_show_input(&err, "one");
	assert_string_equal(err.message, "missing\n    one\n       ^");
}

static void needs_an_offset(void **state)
{
	struct fathom_err err = { 0 };

	err_set(&err, -EINVAL, "wrong");
	err_show_input(&err, "one two");
	assert_string_equal(err.message, "wrong");
	err_show_input(NULL, "one two");
}

static void counts_characters(void **state)
{
	struct fathom_err err = { 0 };

	err_set_at(&err, -EINVAL, 6, "wrong");
	err_show_input(&err, "\xc3\xa9\t\x1b\xff x");
	assert_string_equal(err.message, "wrong\n    \xc3\xa9  ? x\n         ^");
}

static void shows_a_part_of_a_long_text(void **state)
{
	struct fathom_err err = { 0 };
	char text[1001], *caret;

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	text[700] = 'X';
	for (size_t i = 0; i < sizeof(err.message); i++)
		err.message[i] = 'm';
	err_set_at(&err, -EINVAL, 700, "%s", text);
	err_show_input(&err, text);
	caret = strrchr(err.message, '\n');
	assert_non_null(caret);
	assert_string_equal(caret + strspn(caret, "\n "), "^");
	/* The X is above the caret. */
	*caret = '\0';
	assert_int_equal(strchr(err.message, 'X') - strrchr(err.message, '\n'), strlen(caret + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_at_the_error),
		cmocka_unit_test(needs_an_offset),
		cmocka_unit_test(counts_characters),
		cmocka_unit_test(shows_a_part_of_a_long_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

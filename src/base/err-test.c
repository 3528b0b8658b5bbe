/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/err.h"

static void sets_code_and_message(void **state)
{
	struct fathom_err err = { 0 };

	assert_int_equal(err_set(&err, -EINVAL, "bad '%s'", "x"), -EINVAL);
	assert_int_equal(err.code, -EINVAL);
	assert_int_equal(err.at_offset, 0);
	assert_string_equal(fathom_err_text(&err), "bad 'x'");
}

static void remembers_the_offset(void **state)
{
	struct fathom_err err = { 0 };

	err_set_at(&err, -EINVAL, 17, "bad byte");
	assert_int_equal(err.at_offset, 1);
	assert_int_equal(err.offset, 17);
	err_set(&err, -EIO, "elsewhere");
	assert_int_equal(err.at_offset, 0);
}

static void appends_the_text_of_errno(void **state)
{
	struct fathom_err err = { 0 };

	err_set_errno(&err, -ENOENT, "cannot open '%s'", "f");
	assert_string_equal(err.message, "cannot open 'f': No such file or directory");
}

static void prefixes_context(void **state)
{
	struct fathom_err err = { 0 };

	err_set(&err, -EINVAL, "inner");
	assert_int_equal(err_prefix(&err, "outer %d", 1), -EINVAL);
	assert_string_equal(err.message, "outer 1: inner");
	fathom_err_reset(&err);
	err.code = -EPERM;
	err_prefix(&err, "outer");
	assert_string_equal(err.message, "outer: Operation not permitted");
}

static void truncates_long_messages(void **state)
{
	struct fathom_err err = { 0 };
	char longer[2 * FATHOM_ERR_MESSAGE_SIZE];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	err_set_errno(&err, -EIO, "%s", longer);
	assert_int_equal(strlen(err.message), FATHOM_ERR_MESSAGE_SIZE - 1);
	err_prefix(&err, "%s", longer);
	assert_int_equal(strlen(err.message), FATHOM_ERR_MESSAGE_SIZE - 1);
}

static void escapes_control_characters(void **state)
{
	struct fathom_err err = { 0 };

	err_set(&err, -EINVAL, "no '%s'", "\033[2J\r\302\233x\302\251\177");
	assert_string_equal(fathom_err_text(&err), "no '\\x1b[2J\\r\\u009bx\302\251\\x7f'");
	err_prefix(&err, "in '%s'\n", "\a");
	assert_string_equal(fathom_err_text(&err),
			    "in '\\x07'\n: no '\\x1b[2J\\r\\u009bx\302\251\\x7f'");
}

static void accepts_null(void **state)
{
	assert_int_equal(err_set(NULL, -EIO, "x"), -EIO);
	assert_int_equal(err_set_at(NULL, -EIO, 1, "x"), -EIO);
	assert_int_equal(err_set_errno(NULL, -EIO, "x"), -EIO);
	assert_int_equal(err_nomem(NULL), -ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_code_and_message),
		cmocka_unit_test(remembers_the_offset),
		cmocka_unit_test(appends_the_text_of_errno),
		cmocka_unit_test(prefixes_context),
		cmocka_unit_test(truncates_long_messages),
		cmocka_unit_test(escapes_control_characters),
		cmocka_unit_test(accepts_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

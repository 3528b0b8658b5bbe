/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/str.h"

static void finds_text_after_a_prefix(void **state)
{
	assert_string_equal(str_after("--json", "--"), "json");
	assert_null(str_after("-j", "--"));
}

static void finds_only_whole_words(void **state)
{
	assert_true(str_has_word("nop function blk\n", " \n", "function"));
	assert_true(str_has_word("nop function blk\n", " \n", "blk"));
	assert_false(str_has_word("function_graph", " \n", "function"));
	assert_false(str_has_word("", " \n", "x"));
}

static void splits_lines(void **state)
{
	char text[] = "one\n\nthree\n";
	char *at = text;

	assert_string_equal(str_next_line(&at), "one");
	assert_string_equal(str_next_line(&at), "");
	assert_string_equal(str_next_line(&at), "three");
	assert_null(str_next_line(&at));
}

static void splits_words(void **state)
{
	char text[] = "  one two\tthree ";
	char *at = text;

	assert_string_equal(str_next_word(&at, " \t"), "one");
	assert_string_equal(str_next_word(&at, " \t"), "two");
	assert_string_equal(str_next_word(&at, " \t"), "three");
	assert_null(str_next_word(&at, " \t"));
	assert_null(str_next_word(&at, " \t"));
}

static const char *pick(const char *wanted)
{
	static const char *const words[] = { "doctor", "list", "record", "report", "help" };
	struct nearest nearest = { .wanted = wanted };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		nearest_offer(&nearest, words[i]);
	return nearest_pick(&nearest);
}

static void finds_similar_words(void **state)
{
	assert_string_equal(pick("docotr"), "doctor");
	assert_string_equal(pick("lst"), "list");
	assert_string_equal(pick("recodr"), "record");
	assert_null(pick("zzz"));
	assert_null(
		pick("a-word-that-is-much-longer-than-sixty-four-letters-and-so-is-not-compared"));
}

static void parses_hexadecimal_digits(void **state)
{
	static const char text[] = "7Ff-g12345678123456789";
	const char *p = text, *end = text + strlen(text);
	uint64_t value;

	assert_true(str_take_hex(&p, end, &value));
	assert_int_equal(value, 0x7ff);
	assert_ptr_equal(p, text + 3);
	assert_false(str_take_hex(&p, end, &value));
	p = text + 5;
	assert_true(str_take_hex(&p, p + 2, &value));
	assert_int_equal(value, 0x12);
	p = text + 5;
	assert_true(str_take_hex(&p, end, &value));
	assert_int_equal(value, 0x1234567812345678);
	assert_ptr_equal(p, end - 1);
	assert_false(str_take_hex(&end, end, &value));
	/* These differ from digits by one bit. */
	p = "\x10\x19";
	assert_false(str_take_hex(&p, p + 2, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_hexadecimal_digits),
		cmocka_unit_test(finds_text_after_a_prefix),
		cmocka_unit_test(finds_only_whole_words),
		cmocka_unit_test(splits_lines),
		cmocka_unit_test(splits_words),
		cmocka_unit_test(finds_similar_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

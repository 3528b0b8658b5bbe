/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include "test.h"

static void expect_number(const struct text_number *number, const char *want)
{
	char buf[128];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_number(&t, number);
	assert_string_equal(text_end(&t), want);
	assert_false(t.cut);
}

static const uint64_t values[] = {
	0,	    1,	       7,	   8,	      9,	  10,
	99,	    100,       101,	   255,	      256,	  65535,
	12345678,   INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 1,
	1ULL << 63, 999999999,
};

static void plain_numbers_equal_printf(void **state)
{
	char buf[64];
	char want[64];
	struct text t;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		text_init(&t, buf, sizeof(buf));
		text_u64(&t, values[i]);
		text_char(&t, ' ');
		text_s64(&t, (int64_t)values[i]);
		text_char(&t, ' ');
		text_hex(&t, values[i]);
		(void)snprintf(want, sizeof(want), "%llu %lld %llx", (unsigned long long)values[i],
			       (long long)values[i], (unsigned long long)values[i]);
		assert_string_equal(text_end(&t), want);
	}
}

static void one_combination(uint64_t value, unsigned flags, int width, int precision, char conv)
{
	struct text_number number = {
		.value = value,
		.width = (uint16_t)width,
		.precision = (int16_t)precision,
		.base = conv == 'o'		   ? 8 :
			conv == 'u' || conv == 'd' ? 10 :
						     16,
		.left = flags & 1,
		.zero = flags & 2,
		.plus = conv == 'd' && flags & 4,
		.space = conv == 'd' && flags & 8,
		.prefix = flags & 16,
		.upper = conv == 'X',
	};
	char fmt[32];
	char want[128];

	if (conv == 'd' && (int64_t)value < 0) {
		number.negative = true;
		number.value = 0 - value;
	}
	(void)snprintf(fmt, sizeof(fmt), "%%%s%s%s%s%s%d", flags & 1 ? "-" : "",
		       flags & 2 ? "0" : "", flags & 4 && conv == 'd' ? "+" : "",
		       flags & 8 && conv == 'd' ? " " : "",
		       flags & 16 && conv != 'd' && conv != 'u' ? "#" : "", width ? width : 1);
	if (precision >= 0)
		(void)snprintf(fmt + strlen(fmt), sizeof(fmt) - strlen(fmt), ".%d", precision);
	(void)snprintf(fmt + strlen(fmt), sizeof(fmt) - strlen(fmt), "ll%c", conv);
	(void)snprintf(want, sizeof(want), fmt, (unsigned long long)value);
	number.width = (uint16_t)(width ? width : 1);
	expect_number(&number, want);
}

static void formatted_numbers_equal_printf(void **state)
{
	static const int widths[] = { 0, 1, 2, 5, 8, 16, 30 };
	static const int precisions[] = { -1, 0, 1, 4, 20 };

	for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++)
		for (unsigned flags = 0; flags < 32; flags++)
			for (size_t w = 0; w < 7; w++)
				for (size_t p = 0; p < 5; p++)
					for (const char *c = "duxXo"; *c; c++)
						one_combination(values[v], flags, widths[w],
								precisions[p], *c);
}

static void text_is_truncated_at_the_end_of_the_buffer(void **state)
{
	char buf[8];
	struct text t;

	text_init(&t, buf, 4);
	text_str(&t, "ab");
	assert_false(t.cut);
	text_u64(&t, 12345);
	assert_true(t.cut);
	assert_int_equal(text_len(&t), 4);
	assert_memory_equal(buf, "ab12", 4);
	assert_string_equal(text_end(&t), "ab1");

	text_init(&t, buf, 0);
	text_char(&t, 'x');
	text_fill(&t, 'x', 3);
	assert_true(t.cut);
	assert_string_equal(text_end(&t), "");
}

static void strings_and_padding_respect_any_size(void **state)
{
	static const char letters[64] = "abcdefghijklmnopqrstuvwxyz\0ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char buf[64], same[64];

	for (size_t size = 0; size <= 56; size++) {
		for (size_t len = 0; len <= 26; len++) {
			size_t left = size > len ? size - len : 0;
			size_t blanks = left > 20 ? 20 : left;
			struct text t;

			memset(buf, '#', sizeof(buf));
			text_init(&t, buf, size);
			text_padded_str(&t, letters + 26 - len);
			assert_int_equal(t.cut, len > size);
			text_blanks(&t, 20);
			assert_int_equal(t.cut, len + 20 > size);
			assert_int_equal(text_len(&t), size < len + 20 ? size : len + 20);
			memcpy(same, letters + 26 - len, len < size ? len : size);
			memset(same + len, ' ', blanks);
			assert_memory_equal(buf, same, text_len(&t));
			for (size_t i = size; i < sizeof(buf); i++)
				assert_int_equal(buf[i], '#');
		}
	}
}

static void padding_applies_to_existing_text(void **state)
{
	char buf[16];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_str(&t, "ab");
	text_pad(&t, 1, 4, false);
	assert_string_equal(text_end(&t), "a   b");
	text_truncate(&t, 1);
	text_str(&t, "c");
	text_pad(&t, 1, 3, true);
	assert_string_equal(text_end(&t), "ac  ");

	text_init(&t, buf, 6);
	text_str(&t, "abcd");
	text_pad(&t, 0, 100, false);
	assert_int_equal(text_len(&t), 6);
	assert_true(t.cut);
	text_init(&t, buf, 6);
	text_str(&t, "abcd");
	text_pad(&t, 0, 8, false);
	assert_memory_equal(buf, "    ab", 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_numbers_equal_printf),
		cmocka_unit_test(formatted_numbers_equal_printf),
		cmocka_unit_test(text_is_truncated_at_the_end_of_the_buffer),
		cmocka_unit_test(strings_and_padding_respect_any_size),
		cmocka_unit_test(padding_applies_to_existing_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "render/kit/json.h"

static void nests(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_init(&json, &buf, false);
	json_begin_object(&json, NULL);
	json_u64(&json, "u", UINT64_MAX);
	json_s64(&json, "s", INT64_MIN);
	json_begin_array(&json, "a");
	json_bool(&json, NULL, true);
	json_null(&json, NULL);
	json_address(&json, NULL, UINT64_MAX);
	json_begin_object(&json, NULL);
	json_end_object(&json);
	json_end_array(&json);
	json_string(&json, "n", NULL);
	json_end_object(&json);
	json_end_document(&json);
	if (succeeds(!buf.err))
		assert_string_equal(strbuf_str(&buf),
				    "{\"u\":18446744073709551615,\"s\":-9223372036854775808,"
				    "\"a\":[true,null,\"0xffffffffffffffff\",{}],\"n\":null}\n");
}

static void indents(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_init(&json, &buf, true);
	json_begin_object(&json, NULL);
	json_begin_array(&json, "a");
	json_u64(&json, NULL, 1);
	json_u64(&json, NULL, 2);
	json_end_array(&json);
	json_begin_array(&json, "e");
	json_end_array(&json);
	json_end_object(&json);
	json_end_document(&json);
	if (succeeds(!buf.err))
		assert_string_equal(strbuf_str(&buf),
				    "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"e\": []\n}\n");
}

static void check_text(const char *text, size_t len, const char *expected)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_init(&json, &buf, false);
	json_string_len(&json, NULL, text, len);
	if (succeeds(!buf.err))
		assert_string_equal(strbuf_str(&buf), expected);
}

static void escapes(void **state)
{
	check_text("a\"b\\c\n\t\x01\x7f", 9, "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
	check_text("nul\0in", 6, "\"nul\\u0000in\"");
	check_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7", 9, "\"\\u00e4\\u20ac\\ud83d\\udc27\"");
}

static void replaces_invalid_utf8(void **state)
{
	check_text("\xff", 1, "\"\\ufffd\"");
	check_text("\xc3", 1, "\"\\ufffd\"");
	check_text("\xc0\x80", 2, "\"\\ufffd\\ufffd\"");
	check_text("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"");
	check_text("\xf4\x90\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	check_text("a\xe2\x82z", 4, "\"a\\ufffd\\ufffdz\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nests),
		cmocka_unit_test(indents),
		cmocka_unit_test(escapes),
		cmocka_unit_test(replaces_invalid_utf8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

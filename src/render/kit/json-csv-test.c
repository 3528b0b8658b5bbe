/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "render/kit/json-document.h"

/* A document with every kind of value in rows, and the same names outside of them. */
static void write_document(struct json *json)
{
	json_string(json, "name", "not in a row");
	json_begin_array(json, "others");
	json_begin_object(json, NULL);
	json_string(json, "name", "of another table");
	json_end_object(json);
	json_end_array(json);
	json_begin_array(json, "rows");
	json_begin_object(json, NULL);
	json_s64(json, "number", -5);
	json_string(json, "name", "=2+\"2\",\n");
	json_begin_array(json, "words");
	json_string(json, NULL, "a");
	json_string(json, NULL, "b");
	json_end_array(json);
	json_begin_array(json, "parts");
	json_begin_object(json, NULL);
	json_string(json, "name", "of a part");
	json_end_object(json);
	json_end_array(json);
	json_address(json, "address", 0xffffffff81000000);
	json_end_object(json);
	json_begin_object(json, NULL);
	json_bool(json, "flag", true);
	json_null(json, "number");
	json_thousandths(json, "address", 1500);
	json_end_object(json);
	json_end_array(json);
	json_begin_object(json, "sums");
	json_u64(json, "number", UINT64_MAX);
	json_string(json, "name", "sum");
	json_end_object(json);
	json_document_end(json, NULL);
}

static void check_table(const char *member, const char *columns, const char *expected)
{
	_cleanup_json_csv_ struct json_csv csv = { .member = member, .columns = columns };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_document_begin_csv(&json, &buf, &csv);
	write_document(&json);
	if (succeeds(!buf.err))
		assert_string_equal(strbuf_str(&buf), expected);
}

static void writes_one_table(void **state)
{
	check_table("rows", "number name words flag address",
		    "number,name,words,flag,address\n"
		    "-5,\"'=2+\"\"2\"\",\\n\",a;b,,0xffffffff81000000\n"
		    ",,,true,1.500\n");
	check_table("rows", "name", "name\n\"'=2+\"\"2\"\",\\n\"\n\n");
}

static void writes_an_object_as_one_row(void **state)
{
	check_table("sums", "name number", "name,number\nsum,18446744073709551615\n");
}

static void writes_names_if_there_are_no_rows(void **state)
{
	check_table("nothing", "name number", "name,number\n");
}

static int write_op(void *arg)
{
	_cleanup_json_csv_ struct json_csv csv = { .member = "rows", .columns = "number words" };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;

	json_document_begin_csv(&json, &buf, &csv);
	write_document(&json);
	return buf.err;
}

static void survives_failing_allocations(void **state)
{
	oom_check(write_op, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_one_table),
		cmocka_unit_test(writes_an_object_as_one_row),
		cmocka_unit_test(writes_names_if_there_are_no_rows),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

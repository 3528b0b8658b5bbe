/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/cleanup.h"
#include "render/kit/table.h"

static const struct table_column columns[] = {
	{ "total_ns", "total", TABLE_NS }, { "count", "count", TABLE_COUNT },
	{ "rate", "rate", TABLE_RATE },	   { "bytes", "bytes", TABLE_BYTES },
	{ "time", "time", TABLE_TIME },	   { "cut", "more cut", TABLE_CUT },
	{ NULL, "what", TABLE_TEXT },	   { "name", "name", TABLE_TEXT },
	{ "pid", NULL, TABLE_NUMBER },	   { "exact", NULL, TABLE_BOOL },
};

static void add_row(struct table *table, uint64_t total, uint64_t count, uint64_t cut,
		    const char *what, const char *name, int64_t pid)
{
	table_number(table, total);
	table_number(table, count);
	table_number(table, count * 1500);
	table_number(table, count * 4096);
	table_number(table, 12345678901 + count);
	table_number(table, cut);
	table_text(table, what);
	table_text(table, name);
	if (pid)
		table_number(table, (uint64_t)pid);
	else
		table_null(table);
	table_number(table, pid > 0);
}

static struct table make(void)
{
	struct table table = { .columns = columns, .n_columns = 10 };

	add_row(&table, 1500, 3, 0, "x", "b", -1);
	add_row(&table, 1500, 3, 2, "longer", "a", 7);
	add_row(&table, 0, 100000000000, 0, NULL, "say \"c\", d", 0);
	add_row(&table, 99999, 1, 0, "y", NULL, 0);
	return table;
}

enum form {
	TEXT,
	JSON,
	CSV
};

static char *print(struct table *table, size_t rows, enum form form)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct json json;
	struct out out = { 0 };
	char *text = NULL;
	size_t len;
	int r = 0;

	out.stream = open_memstream(&text, &len);
	assert_non_null(out.stream);
	if (form == TEXT)
		r = table_print(table, rows, &out);
	else if (form == CSV)
		r = table_print_csv(table, rows, &out);
	if (form == JSON) {
		json_init(&json, &buf, false);
		table_json(table, &json, NULL, rows);
		r = table->nomem ? -ENOMEM : buf.err;
		fputs(strbuf_str(&buf), out.stream);
	}
	fclose(out.stream);
	if (r == 0)
		return text;
	free(text);
	return NULL;
}

static void check(enum form form, size_t rows, const char *key, const char *expected)
{
	struct table table = make();
	char *text;

	table_sort(&table, key, "count");
	text = print(&table, rows, form);
	if (text)
		assert_string_equal(text, expected);
	free(text);
	table_done(&table);
}

static void prints_text(void **state)
{
	check(TEXT, 0, "total_ns",
	      "     total    count      rate     bytes              time  what    name\n"
	      "    100 us        1   1.50 /s   4.10 kB         12.345678  y       .\n"
	      "   1.50 us        3   4.50 /s   12.3 kB         12.345678  longer  a  (2 more cut)\n"
	      "   1.50 us        3   4.50 /s   12.3 kB         12.345678  x       b\n"
	      "         .  100000M   150 G/s    410 TB        112.345678  .       say \"c\", d\n");
	check(TEXT, 3, "name",
	      "     total    count      rate     bytes              time  what    name\n"
	      "   1.50 us        3   4.50 /s   12.3 kB         12.345678  longer  a  (2 more cut)\n"
	      "   1.50 us        3   4.50 /s   12.3 kB         12.345678  x       b\n"
	      "         .  100000M   150 G/s    410 TB        112.345678  .       say \"c\", d\n"
	      "  (1 other)\n");
}

static void prints_csv(void **state)
{
	check(CSV, 2, "count",
	      "total_ns,count,rate,bytes,time,cut,name,pid,exact\n"
	      "0,100000000000,150000000000.000,409600000000000,112345678901,0,\"say \"\"c\"\", d\",,false\n"
	      "1500,3,4.500,12288,12345678904,2,a,7,true\n");
}

static void prints_json(void **state)
{
	check(JSON, 2, "count",
	      "[{\"total_ns\":0,\"count\":100000000000,\"rate\":150000000000.000,"
	      "\"bytes\":409600000000000,\"time\":112345678901,\"cut\":0,"
	      "\"name\":\"say \\\"c\\\", d\",\"pid\":null,\"exact\":false},"
	      "{\"total_ns\":1500,\"count\":3,\"rate\":4.500,\"bytes\":12288,"
	      "\"time\":12345678904,\"cut\":2,\"name\":\"a\",\"pid\":7,\"exact\":true}]");
}

/* Words are aligned like the numbers that they replace, in columns of any width. */
static void aligns_words(void **state)
{
	static const struct table_column some[] = {
		{ NULL, "CPU", TABLE_NUMBER, .width = 4 },
		{ "percent", "%", TABLE_WORD, .width = 7 },
		{ "idle", "idle", TABLE_WORD },
	};
	static const struct {
		enum form form;
		const char *text;
	} wanted[] = {
		{ TEXT, "  CPU       %      idle\n"
			"    0     0.5   1.50 ms\n"
			"   10       ?         .\n" },
		{ CSV, "percent,idle\n"
		       "0.5,1.50 ms\n"
		       "?,\n" },
		{ JSON, "[{\"percent\":\"0.5\",\"idle\":\"1.50 ms\"},"
			"{\"percent\":\"?\",\"idle\":null}]" },
	};
	struct table table = { .columns = some, .n_columns = 3 };

	table_number(&table, 10);
	table_text(&table, "?");
	table_text(&table, NULL);
	table_number(&table, 0);
	table_text(&table, "0.5");
	table_text(&table, "1.50 ms");
	table_sort(&table, "percent", "idle");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		char *text = print(&table, 0, wanted[i].form);

		if (succeeds(text != NULL))
			assert_string_equal(text, wanted[i].text);
		free(text);
	}
	table_done(&table);
}

static int print_all(void *arg)
{
	enum form form = *(enum form *)arg;
	struct table table = make();
	char *text;

	table_sort(&table, "total_ns", "count");
	text = print(&table, 0, form);
	table_done(&table);
	if (!text)
		return -ENOMEM;
	free(text);
	return 0;
}

static void survives_failing_allocations(void **state)
{
	for (enum form form = TEXT; form <= CSV; form++)
		oom_check(print_all, &form);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_text),
		cmocka_unit_test(prints_csv),
		cmocka_unit_test(prints_json),
		cmocka_unit_test(aligns_words),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

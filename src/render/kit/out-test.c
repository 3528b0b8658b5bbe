/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "process/pager.h"
#include "render/kit/out.h"

struct fixture {
	char *text;
	size_t len;
	struct out out;
};

static void start(struct fixture *f, enum out_color color)
{
	FILE *stream = open_memstream(&f->text, &f->len);

	assert_non_null(stream);
	out_init(&f->out, stream, color);
}

static void check(struct fixture *f, const char *expected)
{
	assert_int_equal(out_finish(&f->out), 0);
	fclose(f->out.stream);
	assert_string_equal(f->text, expected);
	free(f->text);
}

static void has_no_color_without_a_terminal(void **state)
{
	struct fixture f;

	start(&f, OUT_COLOR_AUTO);
	out_printf(&f.out, OUT_BAD, "%d", 1);
	out_start_pager(&f.out);
	assert_int_equal(f.out.pager, 0);
	assert_string_equal(out_style(&f.out, OUT_BAD), "");
	check(&f, "1");
}

static void has_color_on_request(void **state)
{
	struct fixture f;

	start(&f, OUT_COLOR_ALWAYS);
	out_printf(&f.out, OUT_TITLE, "x");
	out_printf(&f.out, OUT_PLAIN, "y");
	check(&f, "\033[1mx\033[0my");
}

static void writes_collected_text(void **state)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct fixture f;

	strbuf_adds(&buf, "one");
	require(!buf.err);
	start(&f, OUT_COLOR_NEVER);
	assert_int_equal(out_write(&f.out, &buf), 0);
	assert_int_equal(buf.len, 0);
	strbuf_adds(&buf, "two");
	assert_int_equal(out_write(&f.out, &buf), 0);
	check(&f, "onetwo");
	buf.err = -ENOMEM;
	start(&f, OUT_COLOR_NEVER);
	assert_int_equal(out_write(&f.out, &buf), -ENOMEM);
	check(&f, "");
}

static void wraps_words(void **state)
{
	struct fixture f;

	start(&f, OUT_COLOR_NEVER);
	f.out.width = 20;
	fputs("name: ", f.out.stream);
	out_wrap(&f.out, 6, 4, "one two three four  a-word-longer-than-the-line end");
	out_wrap(&f.out, 0, 4, "");
	check(&f, "name: one two three\n    four\n    a-word-longer-than-the-line\n    end\n\n");
}

static unsigned rows_of(const char *text, unsigned columns)
{
	struct pager_extent extent = { 0 };

	/* The division of the text does not matter. */
	for (; *text; text++)
		pager_extent_add(&extent, text, 1, columns);
	return extent.rows + (extent.column > 0);
}

static void measures_text(void **state)
{
	assert_int_equal(rows_of("", 10), 0);
	assert_int_equal(rows_of("one\ntwo\n", 10), 2);
	assert_int_equal(rows_of("one\ntwo", 10), 2);
	assert_int_equal(rows_of("0123456789\n", 10), 1);
	assert_int_equal(rows_of("0123456789a\n", 10), 2);
	assert_int_equal(rows_of("0123456789012345678901\n", 10), 3);
	assert_int_equal(rows_of("\033[1;31m01234\033[0m56789\n", 10), 1);
	assert_int_equal(rows_of("\303\244\303\244\303\244\303\244\303\244\303\244\n", 6), 1);
	assert_int_equal(rows_of("a\tbc\n", 10), 1);
	assert_int_equal(rows_of("a\tbcd\n", 10), 2);
	assert_int_equal(rows_of("0123456789a\n", 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_no_color_without_a_terminal),
		cmocka_unit_test(has_color_on_request),
		cmocka_unit_test(writes_collected_text),
		cmocka_unit_test(wraps_words),
		cmocka_unit_test(measures_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

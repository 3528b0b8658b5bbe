/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <locale.h>

#include "tui/cells.h"
#include "tui/keys.h"

static const struct cells_area all = { .rows = 3, .cols = 10 };

/* Draws the text at @col of the second row, and returns the screen. */
static const char *draw(struct cells *cells, unsigned col, const char *text)
{
	static struct strbuf buf;

	strbuf_clear(&buf);
	assert_int_equal(cells_resize(cells, 3, 10), 0);
	cells_puts(cells, &all, 1, col, CELL_NAME, text);
	cells_dump(cells, false, &buf);
	if (!buf.s)
		return "";
	/* An empty text only releases the memory. */
	if (!*text)
		strbuf_done(&buf);
	return strbuf_str(&buf);
}

static void draws_text(void **state)
{
	struct cells cells = { 0 };

	setlocale(LC_CTYPE, "C.UTF-8");
	assert_string_equal(draw(&cells, 0, "abc"), "\nabc\n\n");
	assert_string_equal(draw(&cells, 7, "abcdef"), "\n       abc\n\n");
	assert_string_equal(draw(&cells, 10, "abc"), "\n\n\n");
	assert_string_equal(draw(&cells, 0, "a\x1b[31mb\x07"), "\na\\x1b[31mb\n\n");
	assert_string_equal(draw(&cells, 0, "caf\xc3\xa9 x"), "\ncaf\xc3\xa9 x\n\n");
	/* A wide character at the edge is not cut in half. */
	assert_string_equal(draw(&cells, 7, "\xe4\xb8\xad\xe4\xb8\xad"),
			    "\n       \xe4\xb8\xad\n\n");
	/* Combining characters take no column. */
	assert_string_equal(draw(&cells, 0, "e\xcc\x81x"), "\ne\xcc\x81x\n\n");
	/* Invalid UTF-8: not a character, truncated, overlong, a surrogate. */
	assert_string_equal(draw(&cells, 0, "\xff\xc3|\xc0\xaf|\xed\xa0\x80|"),
			    "\n\\xff\\xc3|\n\n");
	cells.ascii = true;
	assert_string_equal(draw(&cells, 0, "caf\xc3\xa9 x"), "\ncaf\\xc3\n\n");
	draw(&cells, 0, "");
	cells_done(&cells);
}

static void stays_within_bounds(void **state)
{
	static const struct cells_area area = { .row = 1, .col = 2, .rows = 2, .cols = 4 };
	struct strbuf buf = { 0 };
	struct cells cells = { 0 };

	assert_int_equal(cells_resize(&cells, 3, 10), 0);
	for (unsigned row = 0; row < 5; row++)
		cells_puts(&cells, &area, row, 1, CELL_ERROR, "abcdefghijk");
	cells_select(&cells, &area, 1);
	cells_select(&cells, &area, 2);
	cells_dump(&cells, true, &buf);
	if (succeeds(!buf.err))
		assert_string_equal(strbuf_str(&buf), "\n   abc\n|...EEE\n   abc\n|..#EEE\n");
	strbuf_done(&buf);
	cells_done(&cells);
}

static void keys_have_names(void **state)
{
	const char *script = "j<Down><C-d><lt><Enter>", *bad = "<Nothing>x";
	char name[TUI_KEY_NAME_SIZE];

	assert_int_equal(tui_key_parse(&script), 'j');
	assert_int_equal(tui_key_parse(&script), TUI_KEY_DOWN);
	assert_int_equal(tui_key_parse(&script), TUI_CTRL('d'));
	assert_int_equal(tui_key_parse(&script), '<');
	assert_int_equal(tui_key_parse(&script), TUI_KEY_ENTER);
	assert_int_equal(tui_key_parse(&script), TUI_KEY_NONE);
	assert_int_equal(tui_key_parse(&bad), TUI_KEY_NONE);
	assert_string_equal(tui_key_name('j', name), "j");
	assert_string_equal(tui_key_name('<', name), "<");
	assert_string_equal(tui_key_name(TUI_CTRL('u'), name), "C-u");
	assert_string_equal(tui_key_name(TUI_KEY_PAGE_DOWN, name), "PgDn");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_text),
		cmocka_unit_test(stays_within_bounds),
		cmocka_unit_test(keys_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

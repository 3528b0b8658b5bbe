/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <inttypes.h>
#include <locale.h>

#include "base/quote.h"

/* Returns @s quoted; valid until the next call. */
static const char *quoted(const char *s)
{
	static char buf[256];

	quote_format(buf, sizeof(buf), "%s", s);
	return buf;
}

static void escapes_control_sequences(void **state)
{
	assert_string_equal(quoted("plain, text~ !"), "plain, text~ !");
	assert_string_equal(quoted("a\nb\tc\rd"), "a\\nb\\tc\\rd");
	assert_string_equal(quoted("\033]52;c;aGk=\007\b\177"), "\\x1b]52;c;aGk=\\x07\\x08\\x7f");
	assert_string_equal(quoted("\302\23331m\302\205"), "\\u009b31m\\u0085");
	assert_string_equal(quoted("\23331m"), "\\x9b31m");
}

static void escapes_invisible_characters(void **state)
{
	assert_string_equal(quoted("\342\200\256a\342\201\246\330\234\342\200\217"),
			    "\\u202ea\\u2066\\u061c\\u200f");
	assert_string_equal(quoted("\342\200\250\342\200\213\357\273\277\302\255"),
			    "\\u2028\\u200b\\ufeff\\u00ad");
	assert_string_equal(quoted("\363\240\200\201"), "\\U000e0001");
	assert_string_equal(quoted("\303\251 \342\202\254 \360\237\220\247"),
			    "\303\251 \342\202\254 \360\237\220\247");
	/* Invalid UTF-8: bare, overlong, half of a surrogate pair, out of range, truncated. */
	assert_string_equal(quoted("\377\300\200\340\200\200"), "\\xff\\xc0\\x80\\xe0\\x80\\x80");
	assert_string_equal(quoted("\355\240\200\364\220\200\200\342\202"),
			    "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xe2\\x82");
}

static void quoting_twice_changes_nothing(void **state)
{
	char once[256];

	snprintf(once, sizeof(once), "%s", quoted("C:\\new \033 \n \342\200\256 \377 \\x1b"));
	assert_string_equal(once, "C:\\new \\x1b \\n \\u202e \\xff \\x1b");
	assert_string_equal(quoted(once), once);
}

/* Every byte at every position of a word, compared with a simple implementation. */
static void detects_plain_bytes(void **state)
{
	char s[24];

	for (unsigned c = 0; c < 256; c++)
		for (size_t at = 0; at < sizeof(s); at++) {
			bool plain = c >= ' ' && c < 0x7f;

			memset(s, 'x', sizeof(s));
			s[at] = (char)c;
			assert_int_equal(quote_plain(s, sizeof(s)), plain ? sizeof(s) : at);
			memset(s, '~', sizeof(s));
			s[at] = (char)c;
			assert_int_equal(quote_plain(s, sizeof(s)), plain ? sizeof(s) : at);
		}
}

static void detects_plain_lines(void **state)
{
	static char s[200];

	for (unsigned c = 0; c < 256; c++)
		for (size_t at = 0; at < sizeof(s); at++) {
			bool plain = (c >= ' ' && c < 0x7f) || c == '\n' || c == '\t';

			memset(s, at % 2 ? '\n' : '~', sizeof(s));
			s[at] = (char)c;
			assert_int_equal(quote_plain_lines(s, sizeof(s)), plain ? sizeof(s) : at);
		}
}

static void check_format(const char *expected, const char *fmt, ...)
{
	struct strbuf buf = { 0 };
	char cut[8];
	va_list ap;

	va_start(ap, fmt);
	quote_vaddf(&buf, fmt, ap);
	va_end(ap);
	if (succeeds(!buf.err))
		assert_string_equal(strbuf_str(&buf), expected);
	va_start(ap, fmt);
	quote_vformat(cut, sizeof(cut), fmt, ap);
	va_end(ap);
	assert_memory_equal(cut, expected, strnlen(expected, sizeof(cut) - 1));
	strbuf_done(&buf);
}

/* Everything that printf supports, with each %s quoted. */
static void formats(void **state)
{
	check_format("-7 4000000000 ff 0X2A 052 100%", "%d %u %x %#X %#o %d%%", -7, 4000000000U,
		     0xffU, 42U, 42U, 100);
	check_format("18446744073709551615 -1 9 00042|   +7|7   |",
		     "%" PRIu64 " %" PRId64 " %zu %05d|%+5d|%-4d|", UINT64_MAX, (int64_t)-1,
		     (size_t)9, 42, 7, 7);
	check_format("1.50 2.500000 1e+06 ab", "%.2f %f %g %c%c", 1.5, 2.5, 1e6, 'a', 'b');
	check_format("[  a\\n] [a\\n  ] [a\\] [\\x1b]", "[%5s] [%-5s] [%.2s] [%c]", "a\n", "a\n",
		     "a\\b", '\033');
	check_format("[   x] [x   ] [xy]", "[%*s] [%*s] [%.*s]", 4, "x", -4, "x", 2, "xyz");
	check_format("line\nbreaks\tare ours: \\n", "line\nbreaks\tare ours: %s", "\n");
}

static void own_colors_pass(void **state)
{
	check_format("\033[36mname\\x1b[0m\033[0m", "%s%s%s", quote_styles[QUOTE_CYAN],
		     "name\033[0m", quote_styles[QUOTE_PLAIN]);
}

static void long_names_are_complete(void **state)
{
	struct strbuf buf = { 0 };
	char name[3000];

	memset(name, '\n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	quote_addf(&buf, "<%s>", name);
	if (succeeds(!buf.err))
		assert_int_equal(buf.len, 2 * (sizeof(name) - 1) + 2);
	strbuf_done(&buf);
	assert_int_equal(quote_length(name), 2 * (sizeof(name) - 1));
}

static const char *printed(const char *name)
{
	static char text[256];
	FILE *stream = tmpfile();
	size_t n;

	assert_non_null(stream);
	quote_printf(stream, "'%s'\n", name);
	quote_print_lines(stream, "two\nlines\t\033\n");
	rewind(stream);
	n = fread(text, 1, sizeof(text) - 1, stream);
	text[n] = '\0';
	fclose(stream);
	return text;
}

static void streams_follow_the_locale(void **state)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	assert_string_equal(printed("\303\251\n"), "'\303\251\\n'\ntwo\nlines\t\\x1b\n");
	setlocale(LC_CTYPE, "C");
	assert_string_equal(printed("\303\251\n"), "'\\xc3\\xa9\\n'\ntwo\nlines\t\\x1b\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes_control_sequences),
		cmocka_unit_test(escapes_invisible_characters),
		cmocka_unit_test(quoting_twice_changes_nothing),
		cmocka_unit_test(detects_plain_bytes),
		cmocka_unit_test(detects_plain_lines),
		cmocka_unit_test(formats),
		cmocka_unit_test(own_colors_pass),
		cmocka_unit_test(long_names_are_complete),
		cmocka_unit_test(streams_follow_the_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include "render/kit/printable.h"

/* Returns the output for @s. */
static const char *shown_bytes(bool utf8, bool color, const char *s, size_t len)
{
	static char buf[32768];
	struct printable p = { .utf8 = utf8, .styles = color };
	int fds[2];
	ssize_t n;

	assert_int_equal(pipe(fds), 0);
	p.fd = fds[1];
	assert_int_equal(printable_write(&p, s, len), 0);
	close(fds[1]);
	n = read(fds[0], buf, sizeof(buf) - 1);
	close(fds[0]);
	assert_true(n >= 0);
	buf[n] = '\0';
	return buf;
}

static const char *shown(const char *s)
{
	return shown_bytes(true, true, s, strlen(s));
}

static void control_sequences_are_escaped(void **state)
{
	assert_string_equal(shown("a\tb\n"), "a\tb\n");
	assert_string_equal(shown("\033]0;title\007"), "\\x1b]0;title\\x07");
	assert_string_equal(shown("\033[2J\033[31m"), "\\x1b[2J\\x1b[31m");
	assert_string_equal(shown("over\rwritten\b\177"), "over\\rwritten\\x08\\x7f");
	assert_string_equal(shown_bytes(true, true, "a\0b", 3), "a\\x00b");
	assert_string_equal(shown("\\x1b"), "\\x1b");
	assert_string_equal(shown(""), "");
}

static void own_colors_pass(void **state)
{
	assert_string_equal(shown("\033[1;31mbad\033[0m"), "\033[1;31mbad\033[0m");
	assert_string_equal(shown("\033[1;31"), "\\x1b[1;31");
	assert_string_equal(shown_bytes(true, false, "\033[0m", 4), "\\x1b[0m");
}

static void text_in_the_locale_passes(void **state)
{
	assert_string_equal(shown("d\303\251j\303\240 \342\202\254 \360\237\220\247"),
			    "d\303\251j\303\240 \342\202\254 \360\237\220\247");
	/*
	 * CSI encoded as a character; a lone byte; truncated; overlong; surrogate, beyond U+10FFFF,
	 * and never valid.
	 */
	assert_string_equal(shown("\302\23331m"), "\\u009b31m");
	assert_string_equal(shown("\23331m"), "\\x9b31m");
	assert_string_equal(shown("\342\202"), "\\xe2\\x82");
	assert_string_equal(shown("\300\233\340\202\233"), "\\xc0\\x9b\\xe0\\x82\\x9b");
	assert_string_equal(shown("\355\240\200\364\220\200\200\377"),
			    "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xff");
	/* Without UTF-8, non-ASCII characters are escaped. */
	assert_string_equal(shown_bytes(false, true, "\303\251\302\233", 4),
			    "\\xc3\\xa9\\xc2\\x9b");
}

static void long_text_is_complete(void **state)
{
	char in[12000];
	const char *out;

	memset(in, 'x', sizeof(in));
	in[4095] = 7;
	in[8191] = 7;
	in[sizeof(in) - 1] = '\n';
	out = shown_bytes(true, true, in, sizeof(in));
	assert_int_equal(strlen(out), sizeof(in) + 6);
	assert_memory_equal(out + 4095, "\\x07x", 5);
	assert_int_equal(out[sizeof(in) + 5], '\n');
}

static void streams_write_through_it(void **state)
{
	struct printable p = { .utf8 = true };
	char buf[64] = "";
	FILE *stream;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	p.fd = fds[1];
	stream = printable_open(&p);
	assert_non_null(stream);
	fprintf(stream, "%s\n", "a\033b");
	assert_int_equal(read(fds[0], buf, sizeof(buf)), 7);
	assert_string_equal(buf, "a\\x1bb\n");
	fclose(stream);
	close(fds[0]);
	close(fds[1]);
}

/* stdio may flush in the middle of a character. */
static void streams_hold_incomplete_characters(void **state)
{
	static const char part[] = "\303\251\342\202\254\360\237\220\247\033[1;31m";
	const size_t len = sizeof(part) - 1;
	struct printable p = { .utf8 = true, .styles = true };
	static char buf[32768];
	FILE *stream;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	p.fd = fds[1];
	stream = printable_open(&p);
	assert_non_null(stream);
	for (size_t i = 0; i < 1000; i++)
		fputs(part, stream);
	fputs("\342\202", stream);
	assert_int_equal(fclose(stream), 0);
	close(fds[1]);
	assert_int_equal(read(fds[0], buf, sizeof(buf)), 1000 * len + 8);
	for (size_t i = 0; i < 1000; i++)
		assert_memory_equal(buf + i * len, part, len);
	assert_memory_equal(buf + 1000 * len, "\\xe2\\x82", 8);
	close(fds[0]);
}

static void errors_are_reported(void **state)
{
	struct printable p = { .fd = open("/dev/full", O_WRONLY | O_CLOEXEC) };
	FILE *stream;

	assert_int_equal(printable_write(&p, "x", 1), -ENOSPC);
	stream = printable_open(&p);
	assert_non_null(stream);
	assert_int_equal(fputs("x\n", stream) < 0 || fflush(stream) != 0, 1);
	(void)fclose(stream);
	close(p.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_sequences_are_escaped),
		cmocka_unit_test(own_colors_pass),
		cmocka_unit_test(text_in_the_locale_passes),
		cmocka_unit_test(long_text_is_complete),
		cmocka_unit_test(streams_write_through_it),
		cmocka_unit_test(streams_hold_incomplete_characters),
		cmocka_unit_test(errors_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

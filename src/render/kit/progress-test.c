/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "render/kit/progress.h"

static uint64_t time_now;

static uint64_t test_clock(void)
{
	return time_now;
}

struct fixture {
	char *text;
	size_t len;
	struct progress progress;
};

static void start(struct fixture *f, bool terminal)
{
	FILE *stream = open_memstream(&f->text, &f->len);

	assert_non_null(stream);
	progress_init(&f->progress, stream);
	time_now = 0;
	f->progress.now = test_clock;
	f->progress.terminal = terminal;
	f->progress.next = 100;
}

static void check(struct fixture *f, const char *expected)
{
	fclose(f->progress.stream);
	assert_string_equal(f->text, expected);
	free(f->text);
}

static void is_silent_for_short_operations(void **state)
{
	struct fixture f;

	start(&f, true);
	progress_update(&f.progress, "%d %%", 50);
	progress_finish(&f.progress);
	check(&f, "");
}

static void rewrites_the_line_on_a_terminal(void **state)
{
	struct fixture f;

	start(&f, true);
	time_now = 100;
	progress_update(&f.progress, "%d %%", 1);
	progress_update(&f.progress, "not due");
	time_now += 100000000;
	progress_update(&f.progress, "%d %%", 2);
	progress_finish(&f.progress);
	check(&f, "\r\033[K1 %\r\033[K2 %\r\033[K");
}

static void writes_plain_lines_elsewhere(void **state)
{
	struct fixture f;

	start(&f, false);
	time_now = 100;
	progress_update(&f.progress, "one");
	time_now += UINT64_C(9999999999);
	progress_update(&f.progress, "not due");
	time_now += 1;
	progress_update(&f.progress, "two");
	progress_finish(&f.progress);
	check(&f, "one\ntwo\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_silent_for_short_operations),
		cmocka_unit_test(rewrites_the_line_on_a_terminal),
		cmocka_unit_test(writes_plain_lines_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

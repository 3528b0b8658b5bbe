/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "render/kit/progress.h"

#define SECOND	 UINT64_C(1000000000)
#define INTERVAL UINT64_C(250000000)

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
	f->progress.interval = terminal ? INTERVAL : 0;
	f->progress.next = SECOND;
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
	time_now = SECOND - 1;
	progress_update(&f.progress, "%d %%", 50);
	progress_finish(&f.progress);
	check(&f, "");
}

static void rewrites_the_line_on_a_terminal(void **state)
{
	struct fixture f;

	start(&f, true);
	time_now = SECOND;
	progress_update(&f.progress, "%d %%", 1);
	time_now += INTERVAL - 1;
	progress_update(&f.progress, "not due");
	time_now++;
	progress_update(&f.progress, "%d %%", 2);
	progress_finish(&f.progress);
	progress_finish(&f.progress);
	check(&f, "\r\033[K1 %\r\033[K2 %\r\033[K");
}

static void cuts_the_line_at_the_width(void **state)
{
	struct fixture f;

	start(&f, true);
	f.progress.columns = 10;
	time_now = SECOND;
	progress_update(&f.progress, "%s", "123456789");
	time_now += INTERVAL;
	progress_update(&f.progress, "%s", "123456\t890");
	check(&f, "\r\033[K123456789\r\033[K123456\\t8");
}

static void writes_nothing_elsewhere(void **state)
{
	struct fixture f;

	start(&f, false);
	time_now = 100 * SECOND;
	assert_false(progress_due(&f.progress));
	progress_update(&f.progress, "one");
	progress_finish(&f.progress);
	progress_erase(f.progress.stream);
	check(&f, "");
}

static void logs_lines_elsewhere(void **state)
{
	struct fixture f;

	start(&f, false);
	progress_init_log(&f.progress, f.progress.stream);
	f.progress.now = test_clock;
	f.progress.next = 100;
	time_now = 100;
	progress_update(&f.progress, "one");
	time_now += 10 * SECOND - 1;
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
		cmocka_unit_test(cuts_the_line_at_the_width),
		cmocka_unit_test(writes_nothing_elsewhere),
		cmocka_unit_test(logs_lines_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

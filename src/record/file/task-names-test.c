/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>

#include "base/cleanup.h"
#include "record/file/task-names.h"

static const char stat_rest[] = "S 1 1 1 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 ";

static int scan_and_print(void *arg)
{
	_cleanup_task_names_ struct task_names names = { 0 };
	_cleanup_close_ int fd = open(arg, O_RDONLY | O_DIRECTORY);
	_cleanup_strbuf_ struct strbuf out = { 0 };
	int r = task_names_scan(&names, fd, TASK_NAME_BEFORE);

	if (r == 0)
		r = task_names_parse(&names, "7 seven new\n12 (twelve)\nnonsense\n 9\n",
				     TASK_NAME_TRACED);
	if (r < 0)
		return r;
	task_names_print(&names, &out);
	if (out.err)
		return out.err;
	assert_string_equal(out.s, "7 seven new\n8 thread\n9 a) b (c\n12 (twelve)\n");
	return 0;
}

static void knows_all_tasks(void **state)
{
	const char *dir = tree_make();
	char text[256];

	snprintf(text, sizeof(text), "7 (seven) %s2 0 5\n", stat_rest);
	tree_file("/7/stat", text);
	tree_file("/7/task/7/comm", "seven\n");
	tree_file("/7/task/8/comm", "thread\n");
	snprintf(text, sizeof(text), "9 (a) b (c) %s1 0 5\n", stat_rest);
	tree_file("/9/stat", text);
	tree_file("/9/task/77/comm", "not looked for\n");
	tree_file("/self/stat", "1 (self) S\n");
	oom_check(scan_and_print, (void *)(uintptr_t)dir);
	tree_remove();
}

/* The tracer's name may precede an exec; perf records each change. */
static int noted_and_print(void *arg)
{
	_cleanup_task_names_ struct task_names names = { 0 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	int r = task_names_add(&names, 5, "first", TASK_NAME_NOTED);

	if (r == 0)
		r = task_names_add(&names, 5, "burn", TASK_NAME_NOTED);
	if (r == 0)
		r = task_names_parse(&names, "5 fathom\n6 other\n", TASK_NAME_TRACED);
	if (r < 0)
		return r;
	task_names_print(&names, &out);
	if (out.err)
		return out.err;
	assert_string_equal(out.s, "5 burn\n6 other\n");
	return 0;
}

static void uses_names_recorded_by_perf(void **state)
{
	oom_check(noted_and_print, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_all_tasks),
		cmocka_unit_test(uses_names_recorded_by_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

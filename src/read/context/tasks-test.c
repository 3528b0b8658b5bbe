/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "base/cleanup.h"
#include "read/context/tasks.h"

static const char cmdlines[] = "1 systemd\n"
			       "rubbish\n"
			       "22 tmux: server\n"
			       "99999999999 too-large\n"
			       "23\n"
			       "24 \n"
			       "4194304 last";

static void expect(const struct tasks *tasks, int32_t pid, const char *comm)
{
	const struct task *task = tasks_find(tasks, pid);

	assert_string_equal(task->comm, comm);
	assert_int_equal(task->len, strlen(comm));
}

static void reads_saved_cmdlines(void **state)
{
	struct tasks tasks = { 0 };

	assert_int_equal(tasks_add_cmdlines(&tasks, cmdlines, strlen(cmdlines)), 0);
	expect(&tasks, 0, "<idle>");
	expect(&tasks, 1, "systemd");
	expect(&tasks, 22, "tmux: server");
	expect(&tasks, 23, "<...>");
	expect(&tasks, 24, "<...>");
	expect(&tasks, 4194304, "last");
	expect(&tasks, -1, "<...>");
	tasks_done(&tasks);
}

static void learns_new_names(void **state)
{
	struct tasks tasks = { 0 };

	expect(&tasks, 1, "<...>");
	tasks_learn(&tasks, 1, "init", 4);
	tasks_learn(&tasks, 1, "other", 5);
	tasks_learn(&tasks, 0, "swapper/0", 9);
	expect(&tasks, 1, "init");
	expect(&tasks, 0, "<idle>");
	tasks_done(&tasks);
}

static void handles_many_tasks(void **state)
{
	struct tasks tasks = { 0 };
	char comm[16];

	for (int pid = 1; pid < 20000; pid++) {
		snprintf(comm, sizeof(comm), "task-%d", pid);
		tasks_learn(&tasks, pid, comm, strlen(comm));
	}
	assert_int_equal(tasks.n, 19999);
	expect(&tasks, 1, "task-1");
	expect(&tasks, 17777, "task-17777");
	expect(&tasks, 20000, "<...>");
	tasks_done(&tasks);
}

/* These have the same low bits once multiplied by a common hash constant. */
static void spreads_hashed_pids(void **state)
{
	struct tasks tasks = { 0 };
	size_t run = 0, longest = 0;

	for (uint32_t i = 0; i < 1 << 15; i++)
		tasks_learn(&tasks, (int32_t)((i << 17 | i >> 5) * 244002641U), "x", 1);
	for (size_t i = 0; i < tasks.cap; i++) {
		run = tasks.slots[i].pid ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	assert_in_range(longest, 0, 2000);
	tasks_done(&tasks);
}

static void finds_all_pids_with_a_name(void **state)
{
	struct tasks tasks = { 0 };
	size_t at = 0, n = 0;

	tasks_learn(&tasks, 7, "sh", 2);
	tasks_learn(&tasks, 8, "cat", 3);
	tasks_learn(&tasks, 9, "sh", 2);
	for (const struct task *task; (task = tasks_next_named(&tasks, "sh", &at)); n++)
		assert_true(task->pid == 7 || task->pid == 9);
	assert_int_equal(n, 2);
	tasks_done(&tasks);
}

static int build(void *arg)
{
	struct tasks tasks = { 0 };
	int r = tasks_add_cmdlines(&tasks, cmdlines, strlen(cmdlines));

	tasks_done(&tasks);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(build, NULL);
}

static void renames(void **state)
{
	static const char before[] = "7 seven\n8 eight\n",
			  after[] = "7 six\n8 one-thousand\n9 nine\n";
	struct tasks tasks = { 0 };

	assert_false(tasks_know(&tasks, 7));
	assert_true(tasks_know(&tasks, 0));
	if (succeeds(tasks_add_cmdlines(&tasks, before, strlen(before)) == 0 &&
		     tasks_rename(&tasks, after, strlen(after)) == 0)) {
		assert_string_equal(tasks_find(&tasks, 7)->comm, "six");
		assert_int_equal(tasks_find(&tasks, 7)->len, 3);
		assert_string_equal(tasks_find(&tasks, 8)->comm, "one-thousand");
		assert_string_equal(tasks_find(&tasks, 9)->comm, "nine");
		assert_true(tasks_know(&tasks, 9));
		assert_false(tasks_know(&tasks, 10));
	}
	tasks_done(&tasks);
}

/* A live trace is asked for names all the time: a task whose name changes must not use up memory. */
static void renames_in_place(void **state)
{
	struct tasks tasks = { 0 };
	const char *first;

	if (succeeds(tasks_rename(&tasks, "7 longest", 9) == 0)) {
		first = tasks_find(&tasks, 7)->comm;
		for (int i = 0; i < 3; i++) {
			assert_int_equal(tasks_rename(&tasks, "7 short", 7), 0);
			assert_string_equal(first, "short");
			assert_int_equal(tasks_rename(&tasks, "7 longest", 9), 0);
			assert_string_equal(first, "longest");
			assert_ptr_equal(tasks_find(&tasks, 7)->comm, first);
		}
	}
	tasks_done(&tasks);
}

static void truncates_huge_names(void **state)
{
	_cleanup_free_ char *text = malloc(2 + 2 * TASK_COMM_MAX);
	struct tasks tasks = { 0 };

	require(text);
	memset(text, 'x', 2 + 2 * TASK_COMM_MAX);
	memcpy(text, "7 ", 2);
	if (succeeds(tasks_rename(&tasks, text, 2 + 2 * TASK_COMM_MAX) == 0))
		assert_int_equal(strlen(tasks_find(&tasks, 7)->comm), TASK_COMM_MAX);
	text[2] = 'y';
	if (succeeds(tasks_rename(&tasks, text, 2 + 2 * TASK_COMM_MAX) == 0)) {
		assert_int_equal(strlen(tasks_find(&tasks, 7)->comm), TASK_COMM_MAX);
		assert_int_equal(tasks_find(&tasks, 7)->len, TASK_COMM_MAX);
		assert_int_equal(tasks_find(&tasks, 7)->comm[0], 'y');
	}
	tasks_done(&tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(renames),
		cmocka_unit_test(renames_in_place),
		cmocka_unit_test(truncates_huge_names),
		cmocka_unit_test(reads_saved_cmdlines),
		cmocka_unit_test(learns_new_names),
		cmocka_unit_test(handles_many_tasks),
		cmocka_unit_test(spreads_hashed_pids),
		cmocka_unit_test(finds_all_pids_with_a_name),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

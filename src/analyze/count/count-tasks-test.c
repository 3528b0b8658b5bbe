/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "analyze/count/count-tasks.h"

#define CLONE_THREAD 0x00010000

static struct decoded_name name(const char *s)
{
	return (struct decoded_name){ s, s ? strlen(s) : 0 };
}

static void feed(struct count_tasks *tasks, int32_t pid, struct decoded_event decoded)
{
	struct fathom_event event = { .pid = pid };

	decoded.event = &event;
	count_tasks_feed(tasks, &decoded);
}

static void switches(struct count_tasks *tasks, int32_t prev, const char *prev_name, int32_t next,
		     const char *next_name)
{
	struct decoded_event decoded = { .kind = DECODED_SWITCH };

	decoded.sched.prev_pid = prev;
	decoded.sched.prev_name = name(prev_name);
	decoded.sched.next_pid = next;
	decoded.sched.next_name = name(next_name);
	feed(tasks, prev, decoded);
}

static void makes(struct count_tasks *tasks, int32_t pid, int32_t child, uint64_t flags)
{
	struct decoded_event decoded = { .kind = DECODED_NEW_TASK };

	decoded.task.pid = child;
	decoded.task.flags = flags;
	feed(tasks, pid, decoded);
}

static void forks(struct count_tasks *tasks, int32_t pid, int32_t child, const char *child_name)
{
	struct decoded_event decoded = { .kind = DECODED_FORK };

	decoded.task.pid = child;
	decoded.task.name = name(child_name);
	feed(tasks, pid, decoded);
}

static void executes(struct count_tasks *tasks, int32_t pid, const char *path)
{
	struct decoded_event decoded = { .kind = DECODED_EXEC };

	decoded.path.text = path;
	decoded.path.len = strlen(path);
	feed(tasks, pid, decoded);
}

static void is(const struct count_tasks *tasks, int32_t pid, const char *comm, int32_t tgid)
{
	const struct count_task *task = count_tasks_find(tasks, pid);

	if (tasks->nomem)
		return;
	assert_non_null(task);
	assert_string_equal(task->comm, comm);
	assert_int_equal(task->tgid, tgid);
}

static void names_change(void **state)
{
	struct count_tasks tasks = { 0 };

	assert_null(count_tasks_find(&tasks, 5));
	switches(&tasks, 5, "shell", 6, "init");
	is(&tasks, 5, "shell", 0);
	is(&tasks, 6, "init", 0);
	makes(&tasks, 5, 7, 0);
	is(&tasks, 7, "shell", 7);
	forks(&tasks, 5, 7, "shell");
	is(&tasks, 7, "shell", 7);
	executes(&tasks, 7, "/usr/bin/a-very-long-program-name");
	is(&tasks, 7, "a-very-long-pro", 7);
	executes(&tasks, 7, "ls");
	is(&tasks, 7, "ls", 7);
	switches(&tasks, 7, "renamed", 0, "swapper/0");
	is(&tasks, 7, "renamed", 7);
	assert_null(count_tasks_find(&tasks, 0));
	count_tasks_done(&tasks);
}

static void threads_belong_to_processes(void **state)
{
	struct count_tasks tasks = { 0 };
	struct decoded_event sample = { .kind = DECODED_SAMPLE };

	makes(&tasks, 5, 6, CLONE_THREAD);
	is(&tasks, 6, "", 5);
	makes(&tasks, 6, 7, CLONE_THREAD);
	is(&tasks, 7, "", 5);
	makes(&tasks, 7, 8, 0);
	is(&tasks, 8, "", 8);
	sample.sample.process = 4;
	feed(&tasks, 9, sample);
	is(&tasks, 9, "", 4);
	/* The pid is used again, by a task whose process is not recorded. */
	forks(&tasks, 5, 6, "again");
	is(&tasks, 6, "again", 5);
	forks(&tasks, 5, 6, "once more");
	is(&tasks, 6, "once more", 0);
	count_tasks_done(&tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_change),
		cmocka_unit_test(threads_belong_to_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

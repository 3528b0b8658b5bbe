/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>

#include "analyze/files.h"
#include "analyze/processes.h"
#include "base/cleanup.h"
#include "base/mem.h"

/* A path, or an event of a system call with its first argument or its result. */
struct step {
	int32_t pid;
	const char *event, *path;
	int64_t value, dir;
};

#define PATH(pid, dir, path)            \
	{                               \
		pid, NULL, path, 0, dir \
	}
#define CALL(pid, name, first)                      \
	{                                           \
		pid, "sys_enter_" name, NULL, first \
	}
#define RET(pid, name, result)                      \
	{                                           \
		pid, "sys_exit_" name, NULL, result \
	}
#define NEW(pid, child, flags)                          \
	{                                               \
		pid, "task_newtask", NULL, child, flags \
	}

#define SWITCH(prev, next, state)                       \
	{                                               \
		prev, "sched_switch", NULL, next, state \
	}

#define CLONE_FILES_BIT	 0x400
#define CLONE_THREAD_BIT 0x10000

/* Events of one name have one id. */
static uint16_t id_of(const char *name)
{
	uint16_t id = 1;

	for (const char *p = name; *p; p++)
		id = (uint16_t)(id * 31 + (unsigned char)*p);
	return id;
}

static int feed(const struct step *steps, struct files *files, struct processes *processes)
{
	uint64_t time = 0;

	for (; steps->pid; steps++) {
		struct event_format format = { .name = steps->event ?: "path_open" };
		struct event_entry entry = { .format = &format };
		struct fathom_event event = { .time = ++time,
					      .pid = steps->pid,
					      .id = id_of(format.name) };
		struct happening happening = { .event = &event, .entry = &entry };

		if (steps->path) {
			happening.kind = HAPPENING_PATH;
			happening.path.text = steps->path;
			happening.path.len = strlen(steps->path);
			happening.path.dir = steps->dir;
		} else if (strncmp(format.name, "task", 4) == 0) {
			happening.kind = HAPPENING_NEW_TASK;
			happening.task.pid = (int32_t)steps->value;
			happening.task.flags = (uint64_t)steps->dir;
		} else if (strncmp(format.name, "sched", 5) == 0) {
			happening.kind = HAPPENING_SWITCH;
			happening.sched.prev_pid = steps->pid;
			happening.sched.next_pid = (int32_t)steps->value;
			happening.sched.prev = (enum task_state)steps->dir;
		} else {
			happening.kind = format.name[5] == 'n' ? HAPPENING_SYSCALL_ENTRY :
								 HAPPENING_SYSCALL_EXIT;
			happening.call_number.number = format.name[9];
			if (happening.kind == HAPPENING_SYSCALL_ENTRY)
				happening.call_number.first = (uint64_t)steps->value;
			else
				happening.call_number.result = steps->value;
		}
		files_feed(files, &happening);
		if (processes)
			processes_feed(processes, &happening);
	}
	return files_finish(files);
}

static const struct file_sums *find(const struct files *files, const char *path)
{
	for (size_t i = 0; i < files->n; i++)
		if (strcmp(files->list[i].path, path) == 0)
			return &files->list[i];
	fail_msg("%s is missing", path);
	return NULL;
}

static const struct step usual[] = {
	CALL(7, "openat", AT_FDCWD),
	PATH(7, AT_FDCWD, "/etc/passwd"),
	RET(7, "openat", 3),
	CALL(7, "read", 3),
	RET(7, "read", 100),
	CALL(7, "read", 3),
	RET(7, "read", 20),
	CALL(7, "openat", AT_FDCWD),
	PATH(7, AT_FDCWD, "/etc"),
	RET(7, "openat", 4),
	/* Relative to a directory that is open. */
	CALL(7, "openat", 4),
	PATH(7, 4, "hosts"),
	RET(7, "openat", 5),
	CALL(7, "dup2", 5),
	RET(7, "dup2", 9),
	CALL(7, "write", 9),
	RET(7, "write", 7),
	CALL(7, "close", 3),
	RET(7, "close", 0),
	/* A child has what its parent had, until it closes it; a thread has the same. */
	NEW(7, 8, 0),
	CALL(8, "write", 5),
	RET(8, "write", 30),
	CALL(8, "close", 5),
	RET(8, "close", 0),
	CALL(8, "write", 5),
	RET(8, "write", 1000),
	NEW(7, 10, CLONE_FILES_BIT | CLONE_THREAD_BIT),
	CALL(10, "write", 9),
	RET(10, "write", 3),
	CALL(10, "close", 9),
	RET(10, "close", 0),
	CALL(7, "write", 9),
	RET(7, "write", -9),
	CALL(7, "openat", AT_FDCWD),
	PATH(7, AT_FDCWD, "/nothing"),
	RET(7, "openat", -2),
	CALL(7, "openat", AT_FDCWD),
	PATH(7, AT_FDCWD, "/nothing"),
	RET(7, "openat", -2),
	CALL(7, "exit_group", 3),
	{ 0 },
};

static void learns_what_is_open(void **state)
{
	struct processes processes = { 0 };
	struct files files = { 0 };

	if (feed(usual, &files, &processes) == 0 && !processes.nomem) {
		assert_int_equal(find(&files, "/etc/passwd")->read, 120);
		assert_int_equal(find(&files, "/etc/passwd")->opened, 1);
		assert_int_equal(find(&files, "/etc/hosts")->written, 7 + 30 + 3);
		assert_int_equal(find(&files, "/nothing")->failed, 2);
		assert_int_equal(find(&files, "/nothing")->opened, 0);
		assert_int_equal(files.written, 7 + 30 + 1000 + 3);
		assert_int_equal(files.read, 120);
		assert_int_equal(files.opened, 3);
		assert_int_equal(files.failed, 2);
		assert_string_equal(files.list[0].path, "/etc/passwd");
		assert_int_equal(files.n_errors, 2);
		assert_string_equal(files.errors[0].name, "openat");
		assert_int_equal(files.errors[0].code, 2);
		assert_int_equal(files.errors[0].count, 2);
		assert_string_equal(files.list[files.errors[0].file].path, "/nothing");
		assert_int_equal(files.errors[1].code, 9);
		assert_int_equal(files.errors[1].file, FILE_NONE);
		assert_int_equal(processes_find(&processes, 7, UINT64_MAX)->code, 3);
		assert_int_equal(processes_find(&processes, 8, UINT64_MAX)->parent, 7);
		assert_false(processes_find(&processes, 8, UINT64_MAX)->exits);
		assert_false(processes_find(&processes, 8, UINT64_MAX)->thread);
		assert_true(processes_find(&processes, 10, UINT64_MAX)->thread);
		assert_null(processes_find(&processes, 99, UINT64_MAX));
	} else {
		assert_true(mem_fault);
	}
	processes_done(&processes);
	files_done(&files);
}

/* The pid of a task that has ended is another task's, which has other files. */
static void pids_are_used_again(void **state)
{
	static const struct step steps[] = {
		CALL(7, "openat", AT_FDCWD),
		PATH(7, AT_FDCWD, "/etc/passwd"),
		RET(7, "openat", 3),
		CALL(7, "read", 3),
		SWITCH(7, 8, TASK_STATE_DEAD),
		/* How it was created is not recorded. */
		SWITCH(8, 7, TASK_STATE_SLEEPING),
		RET(7, "read", 1000),
		CALL(7, "read", 3),
		RET(7, "read", 10),
		SWITCH(7, 8, TASK_STATE_DEAD),
		CALL(8, "openat", AT_FDCWD),
		PATH(8, AT_FDCWD, "/etc/hosts"),
		RET(8, "openat", 4),
		NEW(8, 7, 0),
		SWITCH(8, 7, TASK_STATE_SLEEPING),
		CALL(7, "read", 4),
		RET(7, "read", 5),
		{ 0 },
	};
	struct files files = { 0 };

	if (succeeds(feed(steps, &files, NULL) == 0)) {
		assert_int_equal(find(&files, "/etc/passwd")->read, 0);
		assert_int_equal(find(&files, "/etc/hosts")->read, 5);
		assert_int_equal(files.read, 10 + 5);
	}
	files_done(&files);
}

static int feed_usual(void *arg)
{
	struct files files = { 0 };
	int r = feed(usual, &files, NULL);

	files_done(&files);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(feed_usual, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(learns_what_is_open),
		cmocka_unit_test(pids_are_used_again),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

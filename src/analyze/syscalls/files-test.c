/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>

#include "analyze/syscalls/files.h"
#include "analyze/tasks/processes.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "format/bytes.h"

/* A path, or an event of a system call with its arguments or its result. */
struct step {
	int32_t pid;
	const char *event, *path;
	int64_t value, dir;
	uint64_t second, third; /* arguments */
};

#define PATH(pid, dir, path)            \
	{                               \
		pid, NULL, path, 0, dir \
	}
#define CALL(pid, name, first)                      \
	{                                           \
		pid, "sys_enter_" name, NULL, first \
	}
#define CALL3(pid, name, first, second, third)                        \
	{                                                             \
		pid, "sys_enter_" name, NULL, first, 0, second, third \
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

#define CLOEXEC 0x80000

/* Each argument has 64 bits. */
#define FIELD(what, i)                                                               \
	{                                                                            \
		.name = what, .type = "unsigned long", .offset = 8 * (i), .size = 8, \
		.elem_size = 8, .kind = EVENT_FIELD_INT                              \
	}
static struct event_field fields[] = { FIELD("__syscall_nr", 0), FIELD("a", 1), FIELD("b", 2),
				       FIELD("c", 3) };

/* Events of one name have the same ID. */
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
		uint64_t data[] = { 0, (uint64_t)steps->value, steps->second, steps->third };
		struct fathom_event event = { .time = ++time,
					      .pid = steps->pid,
					      .id = id_of(format.name),
					      .data = data,
					      .size = sizeof(data) };
		struct decoded_event decoded = { .event = &event, .entry = &entry };

		if (steps->path) {
			decoded.kind = DECODED_PATH;
			decoded.path.text = steps->path;
			decoded.path.len = strlen(steps->path);
			decoded.path.dir = steps->dir;
		} else if (strncmp(format.name, "task", 4) == 0) {
			decoded.kind = DECODED_NEW_TASK;
			decoded.task.pid = (int32_t)steps->value;
			decoded.task.flags = (uint64_t)steps->dir;
		} else if (strncmp(format.name, "sched", 5) == 0) {
			decoded.kind = DECODED_SWITCH;
			decoded.sched.prev_pid = steps->pid;
			decoded.sched.next_pid = (int32_t)steps->value;
			decoded.sched.prev = (enum task_state)steps->dir;
		} else {
			decoded.kind = format.name[5] == 'n' ? DECODED_SYSCALL_ENTRY :
							       DECODED_SYSCALL_EXIT;
			decoded.call_number.number = format.name[9];
			format.fields = fields;
			format.n_fields = ARRAY_SIZE(fields);
			format.abi =
				(struct event_abi){ .long_size = 8, .big_endian = BYTES_HOST_BIG };
			if (decoded.kind == DECODED_SYSCALL_ENTRY)
				decoded.call_number.first = (uint64_t)steps->value;
			else
				decoded.call_number.result = steps->value;
		}
		files_feed(files, &decoded);
		if (processes)
			processes_feed(processes, &decoded);
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
	/* Relative to an open directory. */
	CALL(7, "openat", 4),
	PATH(7, 4, "hosts"),
	RET(7, "openat", 5),
	CALL(7, "dup2", 5),
	RET(7, "dup2", 9),
	CALL(7, "write", 9),
	RET(7, "write", 7),
	CALL(7, "close", 3),
	RET(7, "close", 0),
	/* A child has copies of its parent's descriptors; a thread shares them. */
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

static void learns_open_files(void **state)
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

/* The pid of an exited task is reused by one with other files. */
static void handles_reused_pids(void **state)
{
	static const struct step steps[] = {
		CALL(7, "openat", AT_FDCWD),
		PATH(7, AT_FDCWD, "/etc/passwd"),
		RET(7, "openat", 3),
		CALL(7, "read", 3),
		SWITCH(7, 8, TASK_STATE_DEAD),
		/* Its creation was not recorded. */
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

/* Writes one byte to each of the descriptors 3 to 9 after @steps; the known ones write to "/f". */
static uint64_t known_after(const struct step *steps)
{
	struct step all[64] = {
		CALL3(7, "openat", AT_FDCWD, 0, 0),
		PATH(7, AT_FDCWD, "/f"),
		RET(7, "openat", 3),
		CALL3(7, "openat", AT_FDCWD, 0, CLOEXEC),
		PATH(7, AT_FDCWD, "/f"),
		RET(7, "openat", 4),
	};
	struct files files = { 0 };
	uint64_t known = 0;
	size_t n = 6;

	while (steps->pid)
		all[n++] = *steps++;
	for (int fd = 3; fd < 10; fd++) {
		all[n++] = (struct step)CALL3(7, "write", fd, 0, 0);
		all[n++] = (struct step)RET(7, "write", 1 << fd);
	}
	if (succeeds(feed(all, &files, NULL) == 0))
		known = find(&files, "/f")->written;
	files_done(&files);
	return known;
}

#define KNOWN(...) known_after((const struct step[]){ __VA_ARGS__, { 0 } })
#define FD(i)	   (1u << (i))

static void follows_descriptors(void **state)
{
	require_memory();
	assert_int_equal(KNOWN(CALL(7, "getpid", 0)), FD(3) | FD(4));
	assert_int_equal(KNOWN(CALL3(7, "close_range", 3, 3, 0), RET(7, "close_range", 0)), FD(4));
	assert_int_equal(KNOWN(CALL3(7, "close_range", 3, 9, 0), RET(7, "close_range", 0)), 0);
	assert_int_equal(KNOWN(CALL3(7, "close_range", 3, 9, 0), RET(7, "close_range", -22)),
			 FD(3) | FD(4));
	assert_int_equal(KNOWN(CALL3(7, "fcntl", 3, 0, 0), RET(7, "fcntl", 8)),
			 FD(3) | FD(4) | FD(8));
	assert_int_equal(KNOWN(CALL3(7, "fcntl", 3, 1030, 0), RET(7, "fcntl", 8)),
			 FD(3) | FD(4) | FD(8));
	/* Another command, and one that fails. */
	assert_int_equal(KNOWN(CALL3(7, "fcntl", 3, 1, 0), RET(7, "fcntl", 8)), FD(3) | FD(4));
	assert_int_equal(KNOWN(CALL3(7, "fcntl", 3, 0, 0), RET(7, "fcntl", -9)), FD(3) | FD(4));
	assert_int_equal(KNOWN(CALL3(7, "dup3", 3, 5, 0), RET(7, "dup3", 5)),
			 FD(3) | FD(4) | FD(5));
}

/* The descriptors that execve() closes. */
static void exec_closes_marked_descriptors(void **state)
{
#define EXEC CALL(7, "execve", 0), RET(7, "execve", 0)
	require_memory();
	assert_int_equal(KNOWN(EXEC), FD(3));
	assert_int_equal(KNOWN(CALL3(7, "fcntl", 3, 2, 1), RET(7, "fcntl", 0), EXEC), 0);
	assert_int_equal(KNOWN(CALL3(7, "fcntl", 4, 2, 0), RET(7, "fcntl", 0), EXEC),
			 FD(3) | FD(4));
	assert_int_equal(KNOWN(CALL3(7, "fcntl", 3, 0, 0), RET(7, "fcntl", 8), EXEC),
			 FD(3) | FD(8));
	assert_int_equal(KNOWN(CALL3(7, "fcntl", 3, 1030, 0), RET(7, "fcntl", 8), EXEC), FD(3));
	assert_int_equal(KNOWN(CALL3(7, "dup3", 3, 5, CLOEXEC), RET(7, "dup3", 5), EXEC), FD(3));
	assert_int_equal(KNOWN(CALL3(7, "close_range", 3, 9, 4), RET(7, "close_range", 0), EXEC),
			 0);
	assert_int_equal(KNOWN(CALL3(7, "close_range", 3, 9, 4), RET(7, "close_range", 0)),
			 FD(3) | FD(4));
	/* A failed one closes nothing. */
	assert_int_equal(KNOWN(CALL(7, "execve", 0), RET(7, "execve", -2)), FD(3) | FD(4));
#undef EXEC
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
		cmocka_unit_test(learns_open_files),
		cmocka_unit_test(handles_reused_pids),
		cmocka_unit_test(follows_descriptors),
		cmocka_unit_test(exec_closes_marked_descriptors),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

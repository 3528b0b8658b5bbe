/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/file/trace-file.h"
#include "record/unwind/map-log.h"
#include "symbols/user/user-maps.h"

static struct process_event mapped(int32_t pid, uint64_t time, uint64_t start, const char *path)
{
	return (struct process_event){ .kind = PROCESS_MAPPED,
				       .pid = pid,
				       .tid = pid,
				       .time = time,
				       .start = start,
				       .end = start + 0x1000,
				       .offset = 0x2000,
				       .inode = 9,
				       .path = path };
}

/* Logs a process that is forked, executes another program, and exits. */
static int add_story(struct map_log *log, int32_t parent)
{
	const struct process_event story[] = {
		{ .kind = PROCESS_FORKED, .pid = 9999, .tid = 9999, .parent = parent, .time = 10 },
		{ .kind = PROCESS_EXEC, .pid = 9999, .time = 30 },
		mapped(9999, 31, 0x400000, "/no/such/app"),
		mapped(9999, 31, 0x400000, "/no/such/app"),
		mapped(9999, 32, 0x500000, "//anon"),
		mapped(9999, 33, 0x600000, "/two\nlines"),
		{ .kind = PROCESS_FORKED, .pid = 9999, .tid = 10000, .parent = 9999, .time = 40 },
		/* A process that is not logged. */
		mapped(12345, 50, 0x400000, "/other"),
		{ .kind = PROCESS_LOST, .time = 60, .lost = 3 },
	};
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(story) && r == 0; i++)
		r = map_log_add(log, &story[i]);
	return r;
}

static int log_and_read(struct user_maps *maps)
{
	const struct trace_out_option *options;
	struct map_log *log = NULL;
	pid_t self = getpid();
	int n, r = map_log_new("", &self, 1, NULL, NULL, &log, NULL);

	if (r == 0)
		r = add_story(log, self);
	n = r < 0 ? r : map_log_options(log, &options);
	r = n < 0 ? n : 0;
	for (int i = 0; i < n && r == 0; i++)
		if (options[i].id == TRACE_ID_FATHOM_MAPS)
			r = user_maps_add_log(maps, 0, options[i].data, options[i].size);
	map_log_free(log);
	return r;
}

static const char *path_at(const struct user_maps *maps, int32_t pid, uint64_t address)
{
	bool known;
	const struct user_mapping *mapping = user_maps_find(maps, pid, 100, address, &known);

	return mapping ? mapping->path : known ? "none" : "unknown";
}

static void logged_mappings_can_be_read(void **state)
{
	struct user_maps maps = { 0 };
	const struct user_mapping *own;
	bool known;

	require(log_and_read(&maps) >= 0);
	/* This program itself, a file that can be found by its name. */
	own = user_maps_find(&maps, getpid(), 0, (uint64_t)(uintptr_t)logged_mappings_can_be_read,
			     &known);
	assert_non_null(own);
	assert_non_null(strstr(own->path, "map-log-test"));
	assert_non_null(own->origin);
	assert_true(own->origin->size > 1000);
	assert_int_equal(own->origin->copy, 0);
	assert_string_equal(path_at(&maps, 9999, 0x400010), "/no/such/app");
	assert_string_equal(path_at(&maps, 10000, 0x400010), "/no/such/app");
	assert_string_equal(path_at(&maps, 9999, 0x500010), "");
	assert_string_equal(path_at(&maps, 9999, 0x600010), "/?");
	assert_string_equal(path_at(&maps, 9999, 0x700010), "none");
	assert_string_equal(path_at(&maps, 12345, 0x400010), "unknown");
	assert_int_equal(maps.lost, 3);
	user_maps_done(&maps);
}

static void make_file(const char *path, const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

/*
 * Files with a name that is only valid in the process are copied to the trace; text files are not.
 */
static void files_of_other_namespaces_are_kept(void **state)
{
	static const char elf[] = "\177ELF and more";
	static const char *const dirs[] = { "", "/proc", "/proc/77", "/proc/77/root" };
	const struct trace_out_option *options;
	struct map_log *log = NULL;
	struct process_event app = mapped(78, 5, 0x400000, "/map-log-app"),
			     text = mapped(78, 5, 0x500000, "/map-log-text"),
			     fork = { .kind = PROCESS_FORKED, .pid = 78, .parent = 77 };
	char root[] = "map-log-test-XXXXXX", path[64];
	int n, copies = 0;

	assert_non_null(mkdtemp(root));
	for (size_t i = 1; i < ARRAY_SIZE(dirs); i++) {
		snprintf(path, sizeof(path), "%s%s", root, dirs[i]);
		mkdir(path, 0700);
	}
	snprintf(path, sizeof(path), "%s/proc/77/root/map-log-app", root);
	make_file(path, elf, sizeof(elf));
	snprintf(path, sizeof(path), "%s/proc/77/root/map-log-text", root);
	make_file(path, "text", 4);
	/* The process has exited, but its parent has not. */
	if (succeeds(map_log_new(root, NULL, 0, NULL, NULL, &log, NULL) == 0 &&
		     map_log_add(log, &fork) == 0 && map_log_add(log, &app) == 0 &&
		     map_log_add(log, &text) == 0 && (n = map_log_options(log, &options)) > 0) &&
	    !mem_fault) {
		for (int i = 0; i < n; i++) {
			if (options[i].id != TRACE_ID_FATHOM_FILE)
				continue;
			copies++;
			assert_int_equal(options[i].size, 8 + sizeof(elf));
			assert_memory_equal((const char *)options[i].data + 8, elf, sizeof(elf));
		}
		assert_int_equal(copies, 1);
	}
	map_log_free(log);
	unlink(path);
	snprintf(path, sizeof(path), "%s/proc/77/root/map-log-app", root);
	unlink(path);
	for (size_t i = ARRAY_SIZE(dirs); i-- > 0;) {
		snprintf(path, sizeof(path), "%s%s", root, dirs[i]);
		rmdir(path);
	}
}

static int oom_op(void *arg)
{
	struct user_maps maps = { 0 };
	int r = log_and_read(&maps);

	user_maps_done(&maps);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(oom_op, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logged_mappings_can_be_read),
		cmocka_unit_test(files_of_other_namespaces_are_kept),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

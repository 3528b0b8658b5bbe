/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/file/left-recordings.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "record/file/recover.h"
#include "record/file/trace-out.h"
#include "test.h"

#define PAGE 4096

static const char *root;
static int dir;
static char path[300];
static bool tidies;

static int set_up(void **state)
{
	root = tree_make();
	dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(path, sizeof(path), "%s/trace.dat", root);
	return dir < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	close(dir);
	tree_remove();
	return 0;
}

static int write_head(const struct new_file *file, struct trace_out **ret_out)
{
	static const uint32_t cpus[] = { 0 };
	const struct trace_out_buffer buffer = { "", "local", PAGE, cpus, 1 };
	const struct trace_out_spec spec = { .page_size = PAGE,
					     .buffers = &buffer,
					     .n_buffers = 1 };

	return trace_out_new(file->fd, &spec, ret_out, NULL);
}

/* Does what a recorder does until it is killed; @file belongs to it. */
static int begin(struct new_file *file, struct trace_out **ret_out)
{
	struct recording_note note = RECORDING_NOTE_NONE;
	int r = recording_create(path, 0, file, NULL);

	if (r == 0)
		r = recording_note_write(dir, "0123abcd", file, &note);
	recording_note_done(&note);
	if (r == 0)
		r = write_head(file, ret_out);
	if (r == 0)
		r = new_file_commit(file, NULL);
	return r;
}

/* Returns how many were found, or 1000 if memory is exhausted. */
static size_t count(void)
{
	_cleanup_left_recordings_ struct left_recordings left = { 0 };

	if (left_recordings_read(dir, tidies, &left) < 0)
		return 1000;
	if (left.n) {
		assert_int_equal(left.list[0].pid, getpid());
		assert_string_equal(strrchr(left.list[0].path, '/'), "/trace.dat");
		assert_int_equal(access(left.list[0].path, R_OK), 0);
	}
	return left.n;
}

static bool has_note(void)
{
	return faccessat(dir, ".0123abcd.output", F_OK, 0) == 0;
}

static void finds_leftover_recordings(void **state)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	_cleanup_trace_out_ struct trace_out *out = NULL;
	struct trace_out_result result;
	_cleanup_close_ int left = -1;

	assert_int_equal(begin(&file, &out), 0);
	/* While it is locked, its recorder is alive. */
	assert_int_equal(count(), 0);
	assert_true(has_note());
	new_file_done(&file);
	assert_int_equal(count(), 1);
	assert_int_equal(count(), 1);
	/* A finished file is not reported. */
	left = recording_open_left(path, NULL);
	assert_true(left >= 0);
	assert_int_equal(recording_recover(left, path, &result, NULL), 0);
	/* It is locked until it is closed. */
	close(TAKE_FD(left));
	assert_int_equal(count(), 0);
	assert_true(has_note());
	tidies = true;
	assert_int_equal(count(), 0);
	tidies = false;
	assert_false(has_note());
}

static void forgets_deleted_recordings(void **state)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	_cleanup_trace_out_ struct trace_out *out = NULL;

	assert_int_equal(begin(&file, &out), 0);
	new_file_done(&file);
	assert_int_equal(count(), 1);
	/* A different file of that name, or a link, is ignored. */
	assert_int_equal(renameat(dir, "trace.dat", dir, "kept.dat"), 0);
	tree_link("/trace.dat", "kept.dat");
	assert_int_equal(count(), 0);
	assert_true(has_note());
	tidies = true;
	assert_int_equal(count(), 0);
	tidies = false;
	assert_false(has_note());
}

/* On file systems that need a name, it has a temporary one until it replaces an older file. */
static void finds_unnamed_recordings(void **state)
{
	_cleanup_left_recordings_ struct left_recordings left = { 0 };
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	struct recording_note note = RECORDING_NOTE_NONE;
	_cleanup_trace_out_ struct trace_out *out = NULL;

	tree_file("/trace.dat", "old");
	assert_int_equal(new_file_open(&file, path, NEW_FILE_NAMED, 0, NULL), 0);
	assert_int_equal(recording_note_write(dir, "0123abcd", &file, &note), 0);
	recording_note_done(&note);
	assert_int_equal(write_head(&file, &out), 0);
	assert_int_equal(left_recordings_read(dir, tidies, &left), 0);
	assert_int_equal(left.n, 1);
	assert_string_equal(left.list[0].path + strlen(left.list[0].path) - 4, ".tmp");
}

static int run(void *arg)
{
	_cleanup_left_recordings_ struct left_recordings left = { 0 };

	return left_recordings_read(dir, tidies, &left);
}

static void survives_failing_allocations(void **state)
{
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	_cleanup_trace_out_ struct trace_out *out = NULL;

	assert_int_equal(begin(&file, &out), 0);
	new_file_done(&file);
	oom_check_shared(run, NULL);
	assert_int_equal(count(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_leftover_recordings, set_up, tear_down),
		cmocka_unit_test_setup_teardown(forgets_deleted_recordings, set_up, tear_down),
		cmocka_unit_test_setup_teardown(finds_unnamed_recordings, set_up, tear_down),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

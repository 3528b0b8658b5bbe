/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detached sessions in a tree that imitates tracefs. */
#include "test.h"

#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "record/session/journal.h"
#include "record/session/detached.h"
#include "record/session/session-list.h"

#define T "/sys/kernel/tracing/"

static const char *root;

static int make(void **state)
{
	/* Orphaned guardians are reparented to us, so that we can wait for them. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	root = tree_make();
	tree_file("/proc/self/mountinfo",
		  "36 22 0:12 / /sys/kernel/tracing rw - tracefs tracefs rw\n");
	tree_file("/proc/sys/kernel/random/boot_id", "this-boot\n");
	tree_file(T "current_tracer", "nop\n");
	tree_file(T "available_tracers", "function nop\n");
	tree_file(T "tracing_on", "1\n");
	tree_file(T "set_event", "");
	tree_dir(T "instances");
	tree_dir("/run");
	return 0;
}

static int clean(void **state)
{
	tree_remove();
	return 0;
}

static struct session_env look(void)
{
	struct session_env env = SESSION_ENV_NONE;

	assert_return_code(session_env_open(root, &env, NULL), 0);
	return env;
}

/* A session with a private main buffer and one called "two", in an instance of that name. */
static void keep_two(const char *command, char id[static SESSION_ID_SIZE])
{
	struct session *session;
	struct session_place *place;

	assert_return_code(session_open(root, command, &session, NULL), 0);
	snprintf(id, SESSION_ID_SIZE, "%s", session_id(session));
	assert_return_code(session_place_private(session, &place, NULL), 0);
	assert_return_code(session_add_buffer(session, "", place, NULL), 0);
	assert_return_code(session_place_instance(session, "two", &place, NULL), 0);
	assert_return_code(session_add_buffer(session, "two", place, NULL), 0);
	assert_return_code(session_add_buffer(session, "two", place, NULL), 0);
	assert_return_code(session_keep(session, NULL), 0);
}

static void reset(const char *id)
{
	_cleanup_session_env_ struct session_env env = look();
	struct restore_result result;

	assert_return_code(session_reset(&env, id, &result, NULL), 0);
}

static void test_found(void **state)
{
	char id[SESSION_ID_SIZE], name[64];

	keep_two("fathom start", id);
	{
		_cleanup_session_env_ struct session_env env = look();
		_cleanup_detached_ struct detached_session detached = { 0 };

		assert_return_code(detached_find(&env, NULL, &detached, NULL), 0);
		assert_string_equal(detached.id, id);
		assert_string_equal(detached.command, "fathom start");
		assert_int_equal(detached.n, 2);
		snprintf(name, sizeof(name), "fathom-%s", id);
		assert_string_equal(detached_buffer(&detached, "")->instance, name);
		assert_string_equal(detached_buffer(&detached, "two")->instance, "two");
		assert_null(detached_buffer(&detached, "three"));
		detached_done(&detached);
		assert_return_code(detached_find(&env, id, &detached, NULL), 0);
		assert_int_equal(detached.n, 2);
	}
	reset(id);
}

static void test_none(void **state)
{
	_cleanup_session_env_ struct session_env env = look();
	_cleanup_detached_ struct detached_session detached = { 0 };
	struct fathom_err err = { 0 };

	assert_int_equal(detached_find(&env, NULL, &detached, &err), -ENOENT);
	assert_non_null(strstr(fathom_err_text(&err), "no detached session"));
	assert_int_equal(detached_find(&env, "01234567", &detached, &err), -ENOENT);
	assert_non_null(strstr(fathom_err_text(&err), "no session '01234567'"));
}

/* Sessions without buffers, and active ones, do not count. */
static void test_other_sessions_do_not_count(void **state)
{
	struct session *plain, *alive;
	struct session_place *place;
	char id[SESSION_ID_SIZE], plain_id[SESSION_ID_SIZE];
	struct restore_result result;
	struct fathom_err err = { 0 };

	assert_return_code(session_open(root, "fathom stack", &plain, NULL), 0);
	snprintf(plain_id, sizeof(plain_id), "%s", session_id(plain));
	assert_return_code(session_keep(plain, NULL), 0);
	assert_return_code(session_open(root, "fathom record", &alive, NULL), 0);
	assert_return_code(session_place_private(alive, &place, NULL), 0);
	assert_return_code(session_add_buffer(alive, "", place, NULL), 0);
	{
		_cleanup_session_env_ struct session_env env = look();
		_cleanup_detached_ struct detached_session detached = { 0 };

		assert_int_equal(detached_find(&env, NULL, &detached, &err), -ENOENT);
		assert_non_null(strstr(fathom_err_text(&err), "is using session"));
		assert_non_null(strstr(fathom_err_text(&err), "'fathom record'"));
	}
	keep_two("fathom start", id);
	{
		_cleanup_session_env_ struct session_env env = look();
		_cleanup_detached_ struct detached_session detached = { 0 };

		assert_return_code(detached_find(&env, NULL, &detached, NULL), 0);
		assert_string_equal(detached.id, id);
		detached_done(&detached);
		assert_int_equal(detached_find(&env, plain_id, &detached, &err), -ENOENT);
		assert_non_null(strstr(fathom_err_text(&err), "has no buffers"));
		/* An active session can be found by its ID. */
		assert_return_code(detached_find(&env, session_id(alive), &detached, NULL), 0);
	}
	assert_return_code(session_close(alive, &result, NULL), 0);
	reset(plain_id);
	reset(id);
}

static void test_several(void **state)
{
	char one[SESSION_ID_SIZE], two[SESSION_ID_SIZE];
	struct fathom_err err = { 0 };

	keep_two("fathom start -p one", one);
	keep_two("fathom start -p two", two);
	{
		_cleanup_session_env_ struct session_env env = look();
		_cleanup_detached_ struct detached_session detached = { 0 };

		assert_int_equal(detached_find(&env, NULL, &detached, &err), -E2BIG);
		assert_non_null(strstr(fathom_err_text(&err), "-p one"));
		assert_non_null(strstr(fathom_err_text(&err), "--session"));
	}
	reset(one);
	reset(two);
}

/* The places of an adopted session are those it has; none is created. */
static void test_places(void **state)
{
	struct session *session;
	struct session_place *place;
	char id[SESSION_ID_SIZE], path[256];

	keep_two("fathom start", id);
	{
		_cleanup_session_env_ struct session_env env = look();
		_cleanup_detached_ struct detached_session detached = { 0 };

		assert_return_code(detached_find(&env, NULL, &detached, NULL), 0);
		assert_return_code(session_adopt(root, id, &session, NULL), 0);
		assert_return_code(
			detached_place(session, detached_buffer(&detached, ""), &place, NULL), 0);
		assert_true(place->owned);
		snprintf(path, sizeof(path), "%s" T "instances/two", root);
		assert_return_code(rmdir(path), 0);
		assert_int_equal(detached_place(session, detached_buffer(&detached, "two"), &place,
						NULL),
				 -ENOENT);
		session_free(session);
	}
	reset(id);
}

static void test_top_level(void **state)
{
	struct session *session;
	struct session_place *place;
	char id[SESSION_ID_SIZE];
	struct restore_result result;

	assert_return_code(session_open(root, "fathom start", &session, NULL), 0);
	snprintf(id, sizeof(id), "%s", session_id(session));
	assert_return_code(session_place_top(session, true, &place, NULL), 0);
	assert_return_code(session_add_buffer(session, "", place, NULL), 0);
	assert_return_code(session_keep(session, NULL), 0);
	{
		_cleanup_session_env_ struct session_env env = look();
		_cleanup_detached_ struct detached_session detached = { 0 };
		_cleanup_close_ int fd = -1;
		char line[8];

		assert_return_code(detached_find(&env, NULL, &detached, NULL), 0);
		fd = detached_open(&env, detached_buffer(&detached, ""), NULL);
		assert_return_code(fd, 0);
		assert_int_equal(file_read_line(fd, "tracing_on", line, sizeof(line)), 1);
		assert_return_code(session_adopt(root, id, &session, NULL), 0);
		assert_return_code(
			detached_place(session, detached_buffer(&detached, ""), &place, NULL), 0);
		assert_string_equal(place->instance, "");
	}
	assert_return_code(session_close(session, &result, NULL), 0);
}

static int find_op(void *arg)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_detached_ struct detached_session detached = { 0 };
	int r = session_env_open(root, &env, NULL);

	return r < 0 ? r : detached_find(&env, arg, &detached, NULL);
}

static void test_no_memory(void **state)
{
	char id[SESSION_ID_SIZE];

	keep_two("fathom start", id);
	oom_check(find_op, NULL);
	oom_check(find_op, id);
	reset(id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_found, make, clean),
		cmocka_unit_test_setup_teardown(test_none, make, clean),
		cmocka_unit_test_setup_teardown(test_other_sessions_do_not_count, make, clean),
		cmocka_unit_test_setup_teardown(test_several, make, clean),
		cmocka_unit_test_setup_teardown(test_places, make, clean),
		cmocka_unit_test_setup_teardown(test_top_level, make, clean),
		cmocka_unit_test_setup_teardown(test_no_memory, make, clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

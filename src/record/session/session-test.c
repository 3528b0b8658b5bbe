/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions in a tree that imitates tracefs: complete life cycles, with real guardians. */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "record/session/guardian.h"
#include "record/session/session-list.h"
#include "record/session/session.h"

#define T "/sys/kernel/tracing/"

static const char *root;
static int top = -1;

static int make(void **state)
{
	char path[128];

	/* Orphaned guardians are reparented to us, so that we can wait for them. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	root = tree_make();
	tree_file("/proc/self/mountinfo",
		  "36 22 0:12 / /sys/kernel/tracing rw - tracefs tracefs rw\n");
	tree_file("/proc/sys/kernel/random/boot_id", "this-boot\n");
	tree_file("/proc/sys/kernel/kptr_restrict", "1\n");
	tree_file(T "current_tracer", "nop\n");
	tree_file(T "available_tracers", "function_graph function nop\n");
	tree_file(T "tracing_on", "1\n");
	tree_file(T "set_event", "");
	tree_file(T "set_ftrace_filter", "#### all functions enabled ####\n");
	tree_file(T "set_event_pid", "");
	tree_file(T "set_event_notrace_pid", "");
	tree_file(T "trace_clock", "[local] global\n");
	tree_file(T "buffer_size_kb", "1408\n");
	tree_file(T "dynamic_events", "");
	tree_file(T "options/event-fork", "0\n");
	tree_file(T "events/sched/sched_switch/filter", "none\n");
	tree_file(T "events/sched/sched_wakeup/filter", "x == 1\n");
	tree_file(T "events/sched/filter", "");
	tree_dir(T "instances");
	tree_dir("/run");
	snprintf(path, sizeof(path), "%s" T, root);
	top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return top < 0 ? -1 : 0;
}

static int clean(void **state)
{
	close(top);
	tree_remove();
	return 0;
}

static const char *value(const char *file)
{
	static char line[256];

	if (file_read_line(top, file, line, sizeof(line)) < 0)
		return "(none)";
	return line;
}

/* Returns the number of journals; @ret_size is that of the last one. */
static size_t look_at_journals(off_t *ret_size)
{
	char path[128];
	_cleanup_closedir_ DIR *dir = NULL;
	struct stat st;
	size_t n = 0;

	snprintf(path, sizeof(path), "%s" SESSION_DIR, root);
	dir = opendir(path);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		n++;
		*ret_size = fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 ? st.st_size : 0;
	}
	return n;
}

static size_t journals(void)
{
	off_t size;

	return look_at_journals(&size);
}

/* The guardian works in the background: wait until it is done, for at most a minute. */
static void await_no_journal(void)
{
	for (int i = 0; i < 6000 && journals(); i++)
		usleep(10000);
	assert_int_equal(journals(), 0);
}

/* Returns NULL only if allocations fail. */
static struct session *begin(void)
{
	struct session *session = NULL;
	struct fathom_err err = { 0 };

	if (session_open(root, "a command", &session, &err) < 0 && !mem_fault)
		fail_msg("%s", fathom_err_text(&err));
	return session;
}

/* For child processes, where assertions cannot be used. */
static struct session *begin_in_child(void)
{
	struct session *session = NULL;

	session_open(root, "a command", &session, NULL);
	return session;
}

static int close_it(struct session *session)
{
	struct restore_result result;

	return session_close(session, &result, NULL);
}

static void restores_everything(void **state)
{
	struct session *session = begin();
	struct session_place *place;
	struct restore_result result;

	require(session);
	require(session_place_top(session, false, &place, NULL) == 0 &&
		session_set(session, place, "trace_clock", "global", NULL) == 0 &&
		session_set(session, place, "trace_clock", "mono", NULL) == 0 &&
		session_set(session, place, "current_tracer", "function", NULL) == 0 &&
		session_set(session, place, "set_ftrace_filter", "vfs_read", NULL) == 0 &&
		session_set(session, place, "events/sched/filter", "y == 2", NULL) == 0 &&
		session_set_sysctl(session, "kernel/kptr_restrict", "0", NULL) == 0);
	assert_string_equal(value("trace_clock"), "mono");
	assert_string_equal(value("set_ftrace_filter"), "vfs_read");
	/* Imitates the kernel. */
	tree_file(T "events/sched/sched_switch/filter", "y == 2\n");
	tree_file(T "events/sched/sched_wakeup/filter", "y == 2\n");
	require(session_close(session, &result, NULL) >= 0);
	assert_int_equal(result.failed, 0);
	assert_int_equal(result.changed, 6);
	assert_string_equal(value("trace_clock"), "local");
	assert_string_equal(value("current_tracer"), "nop");
	assert_string_equal(value("set_ftrace_filter"), "");
	assert_string_equal(value("events/sched/sched_switch/filter"), "0");
	assert_string_equal(value("events/sched/sched_wakeup/filter"), "x == 1");
	assert_int_equal(journals(), 0);
}

static void the_guardian_restores_after_our_death(void **state)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct session *session = begin_in_child();
		struct session_place *place;

		if (!session || session_place_top(session, false, &place, NULL) < 0 ||
		    session_set(session, place, "current_tracer", "function", NULL) < 0)
			_exit(1);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	await_no_journal();
	assert_string_equal(value("current_tracer"), "nop");
}

static void restores_after_the_death_of_the_guardian(void **state)
{
	struct session *session = begin();
	struct session_place *place;

	require(session);
	require(session_place_top(session, false, &place, NULL) == 0 &&
		session_set(session, place, "current_tracer", "function", NULL) == 0);
	kill(session_guardian(session), SIGKILL);
	require(close_it(session) == 0);
	assert_string_equal(value("current_tracer"), "nop");
}

static void a_dropped_session_is_restored(void **state)
{
	struct session *session = begin();
	struct session_place *place;

	require(session && session_place_private(session, &place, NULL) == 0);
	assert_true(place->owned);
	session_free(session);
	await_no_journal();
}

/* Kills recorder and guardian, which leaves a journal. */
static void leave_journal(void)
{
	int to_us[2];
	pid_t child, guardian = 0;

	assert_int_equal(pipe(to_us), 0);
	child = fork();
	if (child == 0) {
		struct session *session = begin_in_child();
		struct session_place *place;

		if (!session || session_place_top(session, false, &place, NULL) < 0 ||
		    session_set(session, place, "current_tracer", "function", NULL) < 0)
			_exit(1);
		guardian = session_guardian(session);
		if (write(to_us[1], &guardian, sizeof(guardian)) != sizeof(guardian))
			_exit(1);
		pause();
	}
	close(to_us[1]);
	if (read(to_us[0], &guardian, sizeof(guardian)) == sizeof(guardian)) {
		kill(guardian, SIGKILL);
		waitpid(guardian, NULL, 0);
	}
	close(to_us[0]);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void leftovers_are_found_and_reset(void **state)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_list_ struct session_list list = { 0 };
	struct restore_result result;

	leave_journal();
	require(journals() == 1 && session_env_open(root, &env, NULL) >= 0 &&
		session_list_read(&env, &list, NULL) >= 0);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.list[0].state, SESSION_LEFT);
	assert_string_equal(list.list[0].command, "a command");
	assert_true(list.list[0].top);
	assert_int_equal(list.list[0].changes, 1);
	assert_string_equal(value("current_tracer"), "function");
	require(session_reset(&env, list.list[0].id, &result, NULL) >= 0);
	assert_string_equal(value("current_tracer"), "nop");
	assert_int_equal(journals(), 0);
}

static void nothing_is_restored_after_a_reboot(void **state)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_list_ struct session_list list = { 0 };

	leave_journal();
	tree_file("/proc/sys/kernel/random/boot_id", "next-boot\n");
	require(journals() == 1 && session_env_open(root, &env, NULL) >= 0 &&
		session_list_read(&env, &list, NULL) >= 0);
	assert_int_equal(list.list[0].state, SESSION_OLD);
	require(session_reset_left(&env, NULL) >= 0);
	assert_string_equal(value("current_tracer"), "function");
	assert_int_equal(journals(), 0);
}

static void a_failure_keeps_the_journal(void **state)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_list_ struct session_list list = { 0 };
	struct session *session = begin();
	struct session_place *place;

	require(session);
	require(session_place_top(session, false, &place, NULL) == 0 &&
		session_set(session, place, "trace_clock", "global", NULL) == 0 &&
		session_set(session, place, "current_tracer", "function", NULL) == 0);
	/* Even root cannot write to a directory. */
	tree_unlink(T "current_tracer");
	tree_dir(T "current_tracer");
	assert_true(close_it(session) < 0);
	assert_string_equal(value("trace_clock"), "local");
	require(session_env_open(root, &env, NULL) >= 0 &&
		session_list_read(&env, &list, NULL) >= 0);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.list[0].state, SESSION_LEFT);
	assert_non_null(strstr(list.list[0].failure, "'current_tracer'"));
	assert_int_equal(unlinkat(top, "current_tracer", AT_REMOVEDIR), 0);
	tree_file(T "current_tracer", "function\n");
	require(session_reset_left(&env, NULL) == 1);
	assert_string_equal(value("current_tracer"), "nop");
}

static void rejects_a_top_level_in_use(void **state)
{
	struct session *session = begin();
	struct session_place *place;
	struct fathom_err err = { 0 };

	require(session);
	tree_file(T "current_tracer", "function\n");
	tree_file(T "set_event", "sched:sched_switch\n");
	require(session_place_top(session, false, &place, &err) == -EBUSY);
	assert_non_null(strstr(err.message, "tracer 'function' is active"));
	assert_non_null(strstr(err.message, "sched:sched_switch"));
	assert_non_null(strstr(err.message, "--force"));
	require(session_place_top(session, true, &place, NULL) == 0);
	close_it(session);
}

static void only_one_session_has_the_top_level(void **state)
{
	struct session *one = begin(), *two = begin();
	struct session_place *place;
	struct fathom_err err = { 0 };

	require(one && two && session_place_top(one, false, &place, NULL) == 0);
	require(session_place_top(two, true, &place, &err) == -EBUSY);
	assert_non_null(strstr(err.message, session_id(one)));
	close_it(two);
	close_it(one);
}

/* The value before both is restored, in whichever order they end. */
static void two_sessions_share_a_sysctl(void **state)
{
	for (int order = 0; order < 2; order++) {
		struct session *one, *two;
		char line[16] = "";
		int proc;

		tree_file("/proc/sys/kernel/kptr_restrict", "1\n");
		one = begin();
		two = begin();
		require(one && two &&
			session_set_sysctl(one, "kernel/kptr_restrict", "0", NULL) == 0 &&
			session_set_sysctl(two, "kernel/kptr_restrict", "2", NULL) == 0);
		proc = openat(top, "../../../proc/sys", O_RDONLY | O_DIRECTORY);
		require(close_it(order ? one : two) == 0 && close_it(order ? two : one) == 0);
		file_read_line(proc, "kernel/kptr_restrict", line, sizeof(line));
		assert_string_equal(line, "1");
		close(proc);
	}
}

/* The same for a setting of an instance, which differs from that of another instance. */
static void two_sessions_share_a_setting(void **state)
{
	for (int order = 0; order < 2; order++) {
		struct session *one, *two;
		struct session_place *a, *b, *other;

		tree_file(T "instances/theirs/buffer_size_kb", "11\n");
		tree_file(T "instances/others/buffer_size_kb", "22\n");
		one = begin();
		two = begin();
		require(one && two && session_place_instance(one, "theirs", &a, NULL) == 0 &&
			session_place_instance(two, "others", &other, NULL) == 0 &&
			session_place_instance(two, "theirs", &b, NULL) == 0);
		require(session_set(one, a, "buffer_size_kb", "100", NULL) == 0 &&
			session_set(two, other, "buffer_size_kb", "200", NULL) == 0 &&
			session_set(two, b, "buffer_size_kb", "300", NULL) == 0);
		assert_string_equal(value("instances/theirs/buffer_size_kb"), "300");
		require(close_it(order ? one : two) == 0 && close_it(order ? two : one) == 0);
		assert_string_equal(value("instances/theirs/buffer_size_kb"), "11");
		assert_string_equal(value("instances/others/buffer_size_kb"), "22");
	}
}

static void a_kept_session_can_be_adopted(void **state)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_list_ struct session_list list = { 0 };
	struct session *session = begin();
	struct session_place *place;
	char id[16];

	require(session);
	snprintf(id, sizeof(id), "%s", session_id(session));
	require(session_place_top(session, false, &place, NULL) == 0 &&
		session_set(session, place, "trace_clock", "global", NULL) == 0);
	require(session_keep(session, NULL) >= 0);
	assert_string_equal(value("trace_clock"), "global");
	require(session_env_open(root, &env, NULL) >= 0 &&
		session_list_read(&env, &list, NULL) >= 0);
	assert_int_equal(list.list[0].state, SESSION_KEPT);
	assert_int_equal(session_reset_left(&env, NULL), 0);
	require(session_adopt(root, id, &session, NULL) >= 0);
	require(session_place_top(session, true, &place, NULL) == 0 &&
		session_set(session, place, "trace_clock", "mono", NULL) == 0);
	require(close_it(session) == 0);
	assert_string_equal(value("trace_clock"), "local");
}

/* Saving the value of a file is not a change. */
static void a_kept_session_counts_its_changes(void **state)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	_cleanup_session_list_ struct session_list list = { 0 };
	struct session *session;
	struct session_place *place, *instance;
	struct restore_result result;
	char id[16];

	tree_file(T "buffer_size_kb", "7 (expanded: 1408)\n");
	tree_file(T "instances/theirs/buffer_size_kb", "11\n");
	session = begin();
	require(session);
	snprintf(id, sizeof(id), "%s", session_id(session));
	/* Old kernels may also change the top-level buffer; it is restored at once. */
	require(session_place_instance(session, "theirs", &instance, NULL) == 0 &&
		session_set(session, instance, "buffer_size_kb", "100", NULL) == 0);
	require(session_place_top(session, false, &place, NULL) == 0 &&
		session_set(session, place, "trace_clock", "global", NULL) == 0 &&
		session_set(session, place, "trace_clock", "local", NULL) == 0);
	require(session_keep(session, NULL) >= 0);
	require(session_env_open(root, &env, NULL) >= 0 &&
		session_list_read(&env, &list, NULL) >= 0);
	assert_int_equal(list.list[0].state, SESSION_KEPT);
	assert_int_equal(list.list[0].changes, 1);
	/* Changes made later are saved again. */
	require(session_adopt(root, id, &session, NULL) >= 0);
	require(session_place_top(session, true, &place, NULL) == 0 &&
		session_set(session, place, "trace_clock", "mono", NULL) == 0);
	require(session_close(session, &result, NULL) == 0);
	assert_int_equal(result.changed, 2);
	assert_string_equal(value("trace_clock"), "local");
	assert_string_equal(value("instances/theirs/buffer_size_kb"), "11");
	assert_string_equal(value("buffer_size_kb"), "7 (expanded: 1408)");
}

static void excludes_a_pid(void **state)
{
	struct session *session;
	struct session_place *place;
	struct stat st;

	assert_int_equal(stat("/proc/self/ns/pid", &st), 0);
	if (st.st_ino != 0xEFFFFFFC)
		skip_because("not in the first PID namespace, whose numbers the kernel takes");
	session = begin();
	require(session);
	tree_file(T "options/event-fork", "1\n");
	require(session_place_top(session, true, &place, NULL) == 0);
	require(session_exclude_pids(session, place, (const pid_t[]){ 4711, 4712 }, 2,
				     SESSION_EXCLUDE_FUNCTIONS, NULL) == 0);
	assert_string_equal(value("set_event_notrace_pid"), "");
	require(session_exclude_pids(session, place, (const pid_t[]){ 4711, 4712 }, 2,
				     SESSION_EXCLUDE_ALL, NULL) == SESSION_EXCLUDE_EVENTS);
	assert_string_equal(value("set_event_notrace_pid"), "4711 4712");
	assert_string_equal(value("options/event-fork"), "0");
	/* If PIDs are chosen, ours are not among them. */
	tree_file(T "set_event_pid", "1\n");
	require(session_exclude_pids(session, place, (const pid_t[]){ 4713 }, 1,
				     SESSION_EXCLUDE_ALL, NULL) == 0);
	assert_string_equal(value("set_event_notrace_pid"), "4711 4712");
	require(close_it(session) == 0);
	assert_string_equal(value("options/event-fork"), "1");
}

/* Whether an instance shares an option with the top level is only known after writing it. */
static void options_shared_by_instances_are_restored(void **state)
{
	struct session *session = begin();
	struct session_place *place;
	int r;

	require(session);
	tree_file(T "options/shared", "0\n");
	tree_file(T "options/own", "0\n");
	tree_link(T "instances/theirs/options/shared", "../../../options/shared");
	tree_file(T "instances/theirs/options/own", "0\n");
	r = session_place_instance(session, "theirs", &place, NULL);
	if (r == 0)
		place->owned = true;
	for (const char *value = "1"; r == 0 && value; value = value[0] == '1' ? "2" : NULL) {
		r = session_set(session, place, "options/shared", value, NULL);
		if (r == 0)
			r = session_set(session, place, "options/own", value, NULL);
	}
	tree_file(T "options/own", "7\n");
	require(close_it(session) >= 0 && r >= 0);
	assert_string_equal(value("options/shared"), "0");
	assert_string_equal(value("options/own"), "7");
	assert_string_equal(value("instances/theirs/options/own"), "2");
}

/* The record of the top-level value must stay, although the instance does not share it. */
static void an_option_set_in_an_instance_and_at_the_top_is_restored(void **state)
{
	struct session *session = begin();
	struct session_place *places[2];
	struct session_setting settings[] = {
		{ .file = "options/own", .mode = KNOB_SET, .value = "1" },
		{ .file = "options/own", .mode = KNOB_SET, .value = "2" },
	};

	require(session);
	tree_file(T "options/own", "0\n");
	tree_file(T "instances/theirs/options/own", "0\n");
	require(session_place_instance(session, "theirs", &places[0], NULL) == 0 &&
		session_place_top(session, false, &places[1], NULL) == 0);
	settings[0].place = places[0];
	settings[1].place = places[1];
	require(session_apply(session, settings, 2, NULL) == 0);
	assert_string_equal(value("instances/theirs/options/own"), "1");
	assert_string_equal(value("options/own"), "2");
	require(close_it(session) >= 0);
	assert_string_equal(value("instances/theirs/options/own"), "0");
	assert_string_equal(value("options/own"), "0");
}

/* What instances lack is determined once per boot, because creating one takes time. */
static void remembers_settings_that_instances_lack(void **state)
{
	static const char *const texts[] = {
		"this-boot\nfunction nop\nend\n",
		"other-boot\nfunction_graph function nop\nend\n",
		"this-boot\nfunction_graph function\n",
		"this-boot\n",
		"",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct session *session = begin();
		struct session_place *place;
		const char *note = NULL;
		struct stat st;

		require(session);
		tree_file(SESSION_DIR "/.instance-tracers", texts[i]);
		require(session_place_for(session, "function_graph", true, &place, &note, NULL) ==
			0);
		assert_string_equal(place->instance, "");
		assert_non_null(note);
		/* An instance would be the third link of the directory. */
		assert_int_equal(fstatat(top, "instances", &st, 0), 0);
		assert_int_equal(st.st_nlink, 2);
		close_it(session);
	}
}

static void detects_graph_users(void **state)
{
	struct session *session = begin();
	struct fathom_err err = { 0 };
	int r;

	require(session);
	tree_file(T "max_graph_depth", "0\n");
	tree_file(T "instances/theirs/current_tracer", "function_graph\n");
	r = session_set_global(session, "max_graph_depth", KNOB_SET, "2", false, &err);
	require(r == -EBUSY);
	assert_non_null(strstr(err.message, "in instance 'theirs'"));
	assert_string_equal(value("max_graph_depth"), "0");
	tree_file(T "instances/theirs/current_tracer", "nop\n");
	r = session_set_global(session, "max_graph_depth", KNOB_SET, "2", false, &err);
	require(r == 0);
	assert_string_equal(value("max_graph_depth"), "2");
	close_it(session);
	assert_string_equal(value("max_graph_depth"), "0");
}

static void rejects_settings_that_cannot_be_restored(void **state)
{
	struct session *session = begin();
	struct session_place *place;

	require(session);
	require(session_place_top(session, false, &place, NULL) == 0);
	assert_int_equal(session_set(session, place, "trace_marker", "x", NULL), -EINVAL);
	assert_int_equal(session_set(session, place, "../x", "x", NULL), -EINVAL);
	assert_int_equal(session_set_sysctl(session, "kernel/hostname", "x", NULL), -EINVAL);
	assert_int_equal(session_add_event(session, "p vfs_read", NULL), -EINVAL);
	close_it(session);
}

/* Changes that are not in the journal could not be restored. */
static void changes_nothing_on_a_full_disk(void **state)
{
	struct session *session = begin();
	struct session_place *place;
	struct rlimit before, full;
	off_t size = 0;

	require(session);
	require(session_place_top(session, false, &place, NULL) == 0 &&
		session_set(session, place, "trace_clock", "global", NULL) == 0);
	assert_int_equal(look_at_journals(&size), 1);
	assert_true(size > 0);
	/* The other files are shorter than the journal. */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	full = (struct rlimit){ .rlim_cur = (rlim_t)size, .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
	assert_int_equal(session_set(session, place, "current_tracer", "function", NULL), -EFBIG);
	assert_int_equal(session_set_sysctl(session, "kernel/kptr_restrict", "0", NULL), -EFBIG);
	assert_int_equal(session_add_event(session, "p:ours/first vfs_read", NULL), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_string_equal(value("current_tracer"), "nop");
	assert_string_equal(value("../../../proc/sys/kernel/kptr_restrict"), "1");
	assert_string_equal(value("dynamic_events"), "");
	/* There is space again. */
	require(session_add_event(session, "p:ours/first vfs_read", NULL) == 0);
	assert_string_equal(value("dynamic_events"), "p:ours/first vfs_read");
	require(close_it(session) >= 0);
	assert_string_equal(value("trace_clock"), "local");
}

static int whole_life(void *arg)
{
	struct session *session = NULL;
	struct session_place *place;
	struct restore_result result;
	int r = session_open(root, "a command", &session, NULL), end;

	if (r < 0) {
		await_no_journal();
		return r;
	}
	r = session_place_top(session, false, &place, NULL);
	if (r == 0)
		r = session_set(session, place, "set_ftrace_filter", "a", NULL);
	if (r == 0)
		r = session_set_sysctl(session, "kernel/kptr_restrict", "0", NULL);
	end = session_close(session, &result, NULL);
	tree_file(T "set_ftrace_filter", "#### all functions enabled ####\n");
	return r < 0 ? r : end;
}

static void survives_failing_allocations(void **state)
{
	oom_check(whole_life, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(restores_everything, make, clean),
		cmocka_unit_test_setup_teardown(the_guardian_restores_after_our_death, make, clean),
		cmocka_unit_test_setup_teardown(restores_after_the_death_of_the_guardian, make,
						clean),
		cmocka_unit_test_setup_teardown(a_dropped_session_is_restored, make, clean),
		cmocka_unit_test_setup_teardown(leftovers_are_found_and_reset, make, clean),
		cmocka_unit_test_setup_teardown(nothing_is_restored_after_a_reboot, make, clean),
		cmocka_unit_test_setup_teardown(a_failure_keeps_the_journal, make, clean),
		cmocka_unit_test_setup_teardown(rejects_a_top_level_in_use, make, clean),
		cmocka_unit_test_setup_teardown(only_one_session_has_the_top_level, make, clean),
		cmocka_unit_test_setup_teardown(two_sessions_share_a_sysctl, make, clean),
		cmocka_unit_test_setup_teardown(two_sessions_share_a_setting, make, clean),
		cmocka_unit_test_setup_teardown(a_kept_session_can_be_adopted, make, clean),
		cmocka_unit_test_setup_teardown(a_kept_session_counts_its_changes, make, clean),
		cmocka_unit_test_setup_teardown(excludes_a_pid, make, clean),
		cmocka_unit_test_setup_teardown(options_shared_by_instances_are_restored, make,
						clean),
		cmocka_unit_test_setup_teardown(
			an_option_set_in_an_instance_and_at_the_top_is_restored, make, clean),
		cmocka_unit_test_setup_teardown(remembers_settings_that_instances_lack, make,
						clean),
		cmocka_unit_test_setup_teardown(detects_graph_users, make, clean),
		cmocka_unit_test_setup_teardown(rejects_settings_that_cannot_be_restored, make,
						clean),
		cmocka_unit_test_setup_teardown(changes_nothing_on_a_full_disk, make, clean),
		cmocka_unit_test_setup_teardown(survives_failing_allocations, make, clean),
	};

	/*
	 * Each session consists of several processes: a single pass through all code is enough with
	 * failing memory.
	 */
	const struct CMUnitTest short_of_memory[] = {
		cmocka_unit_test_setup_teardown(restores_everything, make, clean),
		cmocka_unit_test_setup_teardown(leftovers_are_found_and_reset, make, clean),
		cmocka_unit_test_setup_teardown(a_kept_session_can_be_adopted, make, clean),
		cmocka_unit_test_setup_teardown(a_kept_session_counts_its_changes, make, clean),
	};

	return mem_fault ? cmocka_run_group_tests(short_of_memory, NULL, NULL) :
			   cmocka_run_group_tests(tests, NULL, NULL);
}

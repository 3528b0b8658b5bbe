/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests plans in a tree that imitates tracefs: the values written to each file, and rejections. */
#include "test.h"
#include "types-sample.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/strbuf.h"
#include "record/plan.h"
#include "record/session/session-list.h"
#include "record/session/session.h"
#include "symbols/probe/probe.h"

#define T "/sys/kernel/tracing/"

static const char *root;
static int top = -1;
static struct session *session;
static struct plan plan;
static struct fathom_err err;

static int make(void **state)
{
	static const char *const empty[] = { "set_event",
					     "set_ftrace_filter",
					     "set_ftrace_notrace",
					     "set_ftrace_pid",
					     "set_ftrace_notrace_pid",
					     "set_event_pid",
					     "set_event_notrace_pid",
					     "set_graph_function",
					     "set_graph_notrace",
					     "trace",
					     "dynamic_events",
					     "events/enable",
					     "events/sched/enable",
					     "events/sched/filter" };
	static const char *const events[] = { "sched/sched_switch", "sched/sched_wakeup",
					      "irq/irq_handler_entry" };
	char path[160];

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	root = tree_make();
	tree_file("/proc/self/mountinfo",
		  "36 22 0:12 / /sys/kernel/tracing rw - tracefs tracefs rw\n");
	tree_file("/proc/sys/kernel/random/boot_id", "this-boot\n");
	tree_file("/proc/sys/kernel/ftrace_enabled", "1\n");
	tree_file("/proc/meminfo", "MemTotal:        1000000 kB\n");
	tree_file("/proc/kallsyms", "0000000000000000 t hidden_one\n");
	tree_file(T "current_tracer", "nop\n");
	tree_file(T "available_tracers", "function_graph function nop\n");
	tree_file(T "available_events",
		  "sched:sched_switch\nsched:sched_wakeup\nirq:irq_handler_entry\n");
	tree_file(T "available_filter_functions", "vfs_read\n"
						  "__ftrace_invalid_address___64\n"
						  "vfs_write\n"
						  "twice [a]\n"
						  "other [a]\n"
						  "twice [b]\n"
						  "__x64_sys_read\n");
	tree_file(T "tracing_on", "1\n");
	tree_file(T "trace_clock", "[local] global\n");
	tree_file(T "buffer_size_kb", "1408\n");
	tree_file(T "max_graph_depth", "0\n");
	tree_file(T "saved_cmdlines_size", "128\n");
	tree_file(T "tracing_cpumask", "3\n");
	tree_file(T "per_cpu/cpu0/stats", "");
	tree_file(T "per_cpu/cpu1/stats", "");
	tree_file(T "options/event-fork", "0\n");
	tree_file(T "options/function-fork", "0\n");
	tree_file(T "options/stacktrace", "0\n");
	tree_file(T "options/overwrite", "1\n");
	for (size_t i = 0; i < ARRAY_SIZE(empty); i++) {
		snprintf(path, sizeof(path), T "%s", empty[i]);
		tree_file(path, "");
	}
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		snprintf(path, sizeof(path), T "events/%s/enable", events[i]);
		tree_file(path, "0\n");
		snprintf(path, sizeof(path), T "events/%s/filter", events[i]);
		tree_file(path, "none\n");
		snprintf(path, sizeof(path), T "events/%s/trigger", events[i]);
		tree_file(path, "");
	}
	tree_dir(T "instances");
	tree_dir("/run");
	snprintf(path, sizeof(path), "%s" T, root);
	top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	session = NULL;
	err = (struct fathom_err){ 0 };
	return top < 0 || (plan_init(&plan) < 0 && !mem_fault) ? -1 : 0;
}

static size_t journals(void)
{
	char path[128];
	_cleanup_closedir_ DIR *dir = NULL;
	size_t n = 0;

	snprintf(path, sizeof(path), "%s" SESSION_DIR, root);
	dir = opendir(path);
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		n += entry->d_name[0] != '.';
	return n;
}

/* Waits until nothing of a session is left, even if its guardian ran out of memory. */
static void end_session(void)
{
	bool (*fault)(void) = mem_fault;
	struct restore_result result;

	if (session)
		session_close(session, &result, NULL);
	session = NULL;
	/* Places were freed with the session. */
	for (size_t i = 0; i < plan.n; i++)
		plan.buffers[i].place = NULL;
	mem_fault = NULL;
	for (int i = 0; i < 6000 && journals(); i++) {
		_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;

		if (session_env_open(root, &env, NULL) == 0)
			session_reset_left(&env, NULL);
		if (journals())
			usleep(10000);
	}
	mem_fault = fault;
}

static int clean(void **state)
{
	plan_done(&plan);
	end_session();
	close(top);
	tree_remove();
	return 0;
}

/*
 * Applies the plan, with the main buffer at the top level, because a directory in the tree does not
 * become an instance. Returns the result of plan_apply(), or -ENOMEM if there was no session.
 */
static int apply(void)
{
	int r = session_open(root, "a command", &session, &err);
	struct session_place *place;

	/* A tracer that no instance offers. */
	if (r == 0 && !plan.buffers[0].tracer)
		plan.buffers[0].tracer = "function";
	if (r == 0)
		r = session_place_top(session, true, &place, &err);
	if (r == 0)
		r = plan_apply(&plan, session, &err);
	return r;
}

static const char *text(const char *file)
{
	static struct strbuf buf;

	strbuf_clear(&buf);
	if (file_read(top, file, &buf) < 0)
		return "(none)";
	return strbuf_str(&buf);
}

/* Under torture, memory can run out anywhere; then only the absence of damage counts. */
static bool went_well(int r)
{
	if (mem_fault && r < 0)
		return false;
	if (r < 0)
		fail_msg("%s", fathom_err_text(&err));
	return true;
}

static bool refused(int r, const char *words)
{
	if (mem_fault)
		return false;
	assert_true(r < 0);
	if (!strstr(fathom_err_text(&err), words))
		fail_msg("'%s' does not say '%s'", fathom_err_text(&err), words);
	return true;
}

static int add(struct plan_words *words, const char *word)
{
	return plan_words_add(words, word);
}

static void sets_requested_values(void **state)
{
	struct plan_buffer *buffer = plan.buffers;

	require(buffer);
	buffer->clock = "global";
	buffer->size_kb = 512;
	buffer->stack = true;
	plan.has_depth = true;
	plan.depth = 3;
	require(add(&buffer->functions, "vfs_*") >= 0 &&
		add(&buffer->not_functions, "vfs_write") >= 0 &&
		add(&buffer->options, "nooverwrite") >= 0 && went_well(apply()));
	assert_string_equal(text("tracing_on"), "0");
	assert_string_equal(text("trace_clock"), "global");
	assert_string_equal(text("buffer_size_kb"), "512");
	assert_string_equal(text("set_ftrace_filter"), "vfs_*\n\n");
	assert_string_equal(text("set_ftrace_notrace"), "vfs_write\n\n");
	assert_string_equal(text("current_tracer"), "function");
	assert_string_equal(text("options/overwrite"), "0");
	assert_string_equal(text("options/stacktrace"), "1");
	assert_string_equal(text("max_graph_depth"), "3");
}

static void can_defer_the_tracer(void **state)
{
	require(plan.buffers);
	plan.late_tracers = true;
	require(went_well(apply()));
	assert_string_equal(text("current_tracer"), "nop");
	assert_true(plan.wants_symbols);
	require(went_well(plan_start_tracers(&plan, session, &err)));
	assert_string_equal(text("current_tracer"), "function");
}

static void disables_and_restores_a_tracer(void **state)
{
	require(plan.buffers && went_well(apply()));
	assert_string_equal(text("current_tracer"), "function");
	require(went_well(plan_pause_tracers(&plan, session, &err)));
	assert_string_equal(text("current_tracer"), "nop");
	require(went_well(plan_start_tracers(&plan, session, &err)));
	assert_string_equal(text("current_tracer"), "function");
}

/* Far more than any CPU can create during a look. */
#define MANY_EVENTS \
	"entries: 1000000000000\noverrun: 7\ndropped events: 0\nread events: 0\nbytes: 1\n"

static void measures_the_cost_of_functions(void **state)
{
	struct overhead_cost cost = { 0 };
	int r;

	tree_file(T "per_cpu/cpu0/stats", MANY_EVENTS);
	tree_file(T "per_cpu/cpu1/stats", MANY_EVENTS);
	require(plan.buffers && went_well(apply()));
	assert_true(plan_may_look(&plan));
	r = plan_look(&plan, 1, &cost, &err);
	require(went_well(r));
	require_memory();
	/* On, then off: both are written to an ordinary file. */
	assert_string_equal(text("tracing_on"), "10");
	assert_int_equal(r, 1);
	assert_true(overhead_share(&cost) > 0.999);
	assert_true(cost.per_second > 1e12);
	/* The price in the table. */
	assert_true(cost.event_ns > 570 && cost.event_ns < 572);
}

static void measures_only_if_many_functions_are_traced(void **state)
{
	struct overhead_cost cost;

	require(plan.buffers);
	assert_false(plan_may_look(&plan));
	plan.buffers[0].tracer = "function";
	assert_true(plan_may_look(&plan));
	require(add(&plan.buffers->functions, "vfs_read") >= 0 && went_well(apply()));
	if (!mem_fault)
		assert_int_equal(plan_look(&plan, 1, &cost, &err), 0);
	require(plan_add_pid(&plan, 11) >= 0);
	assert_false(plan_may_look(&plan));
}

/* A trigger that is to fire once would fire during the measurement. */
static void does_not_measure_triggers(void **state)
{
	require(plan.buffers && plan_add_event(plan.buffers, "sched_switch", true) >= 0);
	plan.buffers[0].tracer = "function_graph";
	assert_true(plan_may_look(&plan));
	require(add(&plan.buffers->events[0].triggers, "traceoff:1") >= 0);
	assert_false(plan_may_look(&plan));
}

/* An option may belong to the tracer, and exist only once that is selected. */
static void sets_options_of_a_tracer(void **state)
{
	require(plan.buffers);
	plan.late_tracers = true;
	require(add(&plan.buffers->options, "nooverwrite") >= 0 && went_well(apply()));
	assert_string_equal(text("current_tracer"), "function");
	assert_string_equal(text("options/overwrite"), "0");
}

static void selects_cpus(void **state)
{
	require(plan.buffers);
	plan.buffers->cpumask = "2";
	require(went_well(apply()));
	assert_string_equal(text("tracing_cpumask"), "2");
}

/* "-1" means the CPUs that have a ring, in words of 32 bits. */
static void selects_all_cpus(void **state)
{
	require(plan.buffers);
	tree_file(T "per_cpu/cpu4/stats", "");
	tree_file(T "per_cpu/cpu33/stats", "");
	plan.buffers->cpumask = "-1";
	require(went_well(apply()));
	assert_string_equal(text("tracing_cpumask"), "2,13");
}

static void sets_events(void **state)
{
	struct plan_buffer *buffer = plan.buffers;

	require(buffer && plan_add_event(buffer, "sched_switch", false) >= 0 &&
		plan_add_event(buffer, "irq:*", false) >= 0 &&
		plan_add_event(buffer, "sched:sched_w*", true) >= 0);
	buffer->events[0].filter = "prev_pid == 1";
	require(add(&buffer->events[2].triggers, "traceoff") >= 0 && went_well(apply()));
	assert_string_equal(text("events/sched/sched_switch/enable"), "1");
	assert_string_equal(text("events/sched/sched_switch/filter"), "prev_pid == 1");
	assert_string_equal(text("events/irq/irq_handler_entry/enable"), "1");
	assert_string_equal(text("events/sched/sched_wakeup/enable"), "0");
	assert_string_equal(text("events/sched/sched_wakeup/trigger"), "traceoff\n");
}

static void sets_pids(void **state)
{
	require(plan.buffers && plan_add_event(plan.buffers, "all", false) >= 0 &&
		plan_add_pid(&plan, 11) >= 0 && plan_add_pid(&plan, 12) >= 0);
	plan.children = true;
	require(went_well(apply()));
	assert_string_equal(text("set_event_pid"), "11 12\n");
	assert_string_equal(text("set_ftrace_pid"), "11 12\n");
	assert_string_equal(text("options/event-fork"), "1");
	assert_string_equal(text("options/function-fork"), "1");
	assert_string_equal(text("events/enable"), "1\n");
}

static void a_buffer_can_record_all_tasks(void **state)
{
	require(plan.buffers && plan_add_event(plan.buffers, "all", false) >= 0 &&
		plan_add_pid(&plan, 11) >= 0);
	plan.children = true;
	plan.buffers[0].of_all = true;
	require(went_well(apply()));
	assert_string_equal(text("set_event_pid"), "");
	assert_string_equal(text("events/enable"), "1\n");
}

/* The kernel's indexes include hidden lines. */
static void selects_functions_by_index(void **state)
{
	int r;

	require(plan.buffers && add(&plan.buffers->functions, "^vfs_w") >= 0 &&
		add(&plan.buffers->functions, "sys_read$") >= 0);
	r = apply();
	/* A file shows the indexes where the kernel would show names, which is noticed. */
	if (refused(r, "modules were loaded or removed"))
		assert_string_equal(text("set_ftrace_filter"), "3\n7\n\n");
}

static void selects_functions_of_a_module(void **state)
{
	int r;

	require(plan.buffers && add(&plan.buffers->functions, "twice") >= 0);
	plan.buffers->module = "b";
	r = apply();
	if (refused(r, "modules were loaded or removed"))
		assert_string_equal(text("set_ftrace_filter"), "6\n\n");
}

static void a_module_may_be_loaded_later(void **state)
{
	require(plan.buffers);
	plan.buffers->module = "nosuch";
	require(went_well(apply()));
	assert_string_equal(text("set_ftrace_filter"), "*:mod:nosuch\n\n");
	assert_non_null(strstr(strbuf_str(&plan.notes), "'nosuch' is not loaded"));
}

static void rejects_functions(void **state)
{
	static const struct {
		const char *word, *message;
	} cases[] = {
		{ "9p_open", "starts with a digit" },
		{ "^nothing", "no kernel function matches '^nothing'" },
	};

	for (size_t i = 0; plan.buffers && i < ARRAY_SIZE(cases); i++) {
		plan.buffers->functions.n = 0;
		require(add(&plan.buffers->functions, cases[i].word) >= 0 &&
			refused(apply(), cases[i].message));
		end_session();
	}
}

/* With many names, each is looked up here rather than by the kernel. */
static void suggests_similar_names(void **state)
{
	static const struct {
		const char *word, *message;
	} cases[] = {
		{ "vfs_raed", "no kernel function 'vfs_raed'; did you mean 'vfs_read'?" },
		{ "sys_read", "did you mean '__x64_sys_read'?" },
		{ "hidden_one", "kernel function 'hidden_one' cannot be traced" },
		{ "quite_another_name", "see 'fathom list -f'" },
	};

	for (size_t i = 0; plan.buffers && i < ARRAY_SIZE(cases); i++) {
		plan.buffers->functions.n = 0;
		for (int k = 0; k < 5; k++)
			require(add(&plan.buffers->functions, k ? "vfs_read" : cases[i].word) >= 0);
		require(refused(apply(), cases[i].message));
		end_session();
	}
}

static void rejects_unknown_names(void **state)
{
	static const struct {
		const char *tracer, *event, *option, *message;
	} cases[] = {
		{ "functoin", NULL, NULL,
		  "no tracer 'functoin' in this kernel; did you mean 'function'?" },
		{ NULL, "sched_swich", NULL, "did you mean 'sched_switch'?" },
		{ NULL, "nothing:like_it", NULL, "see 'fathom list -e'" },
		{ NULL, NULL, "overwrit",
		  "no trace option 'overwrit' in this kernel; did you mean 'overwrite'?" },
		{ NULL, NULL, "../tracing_on", "invalid trace option" },
	};

	for (size_t i = 0; plan.buffers && i < ARRAY_SIZE(cases); i++) {
		struct plan_buffer *buffer = plan.buffers;

		buffer->tracer = cases[i].tracer;
		buffer->n_events = buffer->options.n = 0;
		require(!cases[i].event || plan_add_event(buffer, cases[i].event, false) >= 0);
		require(!cases[i].option || add(&buffer->options, cases[i].option) >= 0);
		require(refused(apply(), cases[i].message));
		end_session();
	}
}

static void missing_events_may_be_ignored(void **state)
{
	require(plan.buffers && plan_add_event(plan.buffers, "nosuch", false) >= 0);
	plan.ignore_missing = true;
	if (went_well(apply()))
		assert_non_null(strstr(strbuf_str(&plan.notes), "no event 'nosuch'"));
}

static int whole(void *arg)
{
	int r = plan_init(&plan);

	if (r == 0)
		r = plan_add_event(plan.buffers, "sched", false);
	/* Determining a suitable size has a size to fall back to. */
	if (r == 0)
		plan.buffers->size_kb = 64;
	if (r == 0)
		r = add(&plan.buffers->functions, "vfs_read");
	if (r == 0)
		r = apply();
	plan_done(&plan);
	end_session();
	return r;
}

static void survives_failing_allocations(void **state)
{
	plan_done(&plan);
	oom_check(whole, NULL);
}

static void knows_which_events_come_from_interrupts(void **state)
{
	assert_true(plan_has_interrupts("irq:irq_handler_entry\n"));
	assert_true(plan_has_interrupts("raw_syscalls:sys_enter\nsched:sched_switch"));
	assert_true(plan_has_interrupts("kmem:kmalloc\n"));
	assert_true(plan_has_interrupts("syscalls:sys_exit_read\nsyscallsx:x\n"));
	assert_true(plan_has_interrupts("syscall:x\n"));
	assert_false(plan_has_interrupts("syscalls:sys_enter_read\nraw_syscalls:sys_exit\n"));
	assert_false(plan_has_interrupts(""));
}

static const char *filter_of(const pid_t *pids, size_t n)
{
	static struct strbuf filter;

	strbuf_clear(&filter);
	plan_exclude_filter(&filter, pids, n);
	return strbuf_str(&filter);
}

static void filters_pass_all_other_tasks(void **state)
{
	assert_string_equal(filter_of((const pid_t[]){ 7 }, 1),
			    "common_pid < 7 || common_pid > 7 || common_flags & 0x58");
	/* The same PID twice does no harm. */
	assert_string_equal(filter_of((const pid_t[]){ 7, 7, 8, 10, 13, 14 }, 6),
			    "common_pid < 7 || common_pid > 14 || common_flags & 0x58 || "
			    "common_pid == 9 || (common_pid > 10 && common_pid < 13)");
}

/* Excludes two tasks from a plan of functions that has also enabled @events. */
static int exclude(const char *events, bool always)
{
	int r = apply();

	if (!went_well(r))
		return r;
	tree_file(T "set_event", events);
	return plan_exclude(&plan, session, (const pid_t[]){ 12, 11 }, 2, always, &err);
}

static void excludes_tasks_but_not_interrupts(void **state)
{
	static const char filter[] = "common_pid < 11 || common_pid > 12 || common_flags & 0x58";

	tree_file(T "events/kmem/kmalloc/filter", "none\n");
	tree_file(T "events/kmem/kfree/filter", "call_site != 0\n");
	assert_int_equal(exclude("sched:sched_switch\nkmem:kmalloc\nkmem:kfree\n", false),
			 PLAN_HIDES_CALLS);
	assert_string_equal(text("set_event_notrace_pid"), "");
	assert_string_equal(text("events/kmem/kmalloc/filter"), filter);
	assert_string_equal(text("events/kmem/kfree/filter"),
			    "(call_site != 0) && (common_pid < 11 || common_pid > 12 || "
			    "common_flags & 0x58)");
	assert_string_equal(text("events/sched/sched_switch/filter"), "none\n");
	end_session();
	assert_string_equal(text("events/kmem/kmalloc/filter"), "0");
	assert_string_equal(text("events/kmem/kfree/filter"), "call_site != 0");
}

static void excludes_tasks_by_number_from_system_calls(void **state)
{
	assert_int_equal(exclude("syscalls:sys_enter_read\n", false), PLAN_HIDES_CALLS);
	assert_string_equal(text("set_event_notrace_pid"), "12 11\n");
}

static void says_which_part_of_interrupts_is_hidden(void **state)
{
	/* No filter can be set for an event that does not exist. */
	assert_int_equal(exclude("sched:sched_switch\nkmem:none\n", false),
			 PLAN_HIDES_EVENTS | PLAN_HIDES_CALLS);
	assert_string_equal(text("set_event_notrace_pid"), "12 11\n");
	end_session();
	tree_file(T "set_event_notrace_pid", "");
	assert_int_equal(exclude("sched:sched_switch\n", true),
			 PLAN_HIDES_EVENTS | PLAN_HIDES_CALLS);
	assert_string_equal(text("set_event_notrace_pid"), "12 11\n");
	end_session();
	/* A kernel that cannot exclude tasks from functions. */
	tree_unlink(T "set_ftrace_notrace_pid");
	assert_int_equal(exclude("sched:sched_switch\n", false), 0);
}

static void excludes_nobody_if_tasks_are_chosen(void **state)
{
	tree_file(T "events/kmem/kmalloc/filter", "none\n");
	require(went_well(apply()));
	tree_file(T "set_event", "sched:sched_switch\nkmem:kmalloc\n");
	tree_file(T "set_event_pid", "5\n");
	assert_int_equal(plan_exclude(&plan, session, (const pid_t[]){ 12, 11 }, 2, false, &err),
			 PLAN_HIDES_CALLS);
	assert_string_equal(text("set_event_notrace_pid"), "");
	assert_string_equal(text("events/kmem/kmalloc/filter"), "none\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)

/*
 * Checks the definition of a probe before its group, which contains the session ID, and after it.
 */
static void check_probe(const char *kind, const char *rest)
{
	char want[256], *p;

	snprintf(want, sizeof(want), "%s:fathom_%s/%s\n", kind, session_id(session), rest);
	for (p = want + strlen(kind) + 1; *p != '/'; p++)
		if (*p == '-')
			*p = '_';
	if (!strstr(text("dynamic_events"), want))
		fail_msg("'%s' is not in '%s'", want, text("dynamic_events"));
}

static void give_types(void)
{
	char path[160];
	int dir;

	tree_dir("/sys/kernel/btf");
	snprintf(path, sizeof(path), "%s/sys/kernel/btf", root);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(types_sample_write(dir), 0);
	close(dir);
}

/* The tree does not create events, so everything after their creation fails. */
static void creates_probes_from_expressions(void **state)
{
	int r;

	/* Register names depend on the architecture. */
	if (type_abi_native() != TYPE_ABI_X86_64)
		skip_because("the expected probes are those of x86-64");
	require(plan.buffers);
	give_types();
	r = plan_add_expression(&plan, "k:vfs_open(file->f_flags)", &err);
	if (r == 0)
		r = plan_add_expression(&plan, "k:vfs_open(path->mnt)", &err);
	if (r == 0)
		r = plan_add_expression(&plan, "kr:vfs_read => ret", &err);
	require(went_well(r) && refused(apply(), "events/fathom_"));
	check_probe("p", "vfs_open vfs_open f_flags=+16(%si):u32");
	check_probe("p", "vfs_open_2 vfs_open mnt=+0(%di):x64");
	check_probe("r", "vfs_read_ret vfs_read ret=$retval:s64");
}

static void add_alternatives(const char *first, const char *second)
{
	require(plan_add_probe(plan.buffers, "open", first) == 0 &&
		plan_add_probe(plan.buffers, "open", second) == 0);
}

/* The kernel logs a probe that it rejects, so one on a function that it lacks is not tried. */
static void tries_the_probe_whose_function_exists(void **state)
{
	require(plan.buffers);
	add_alternatives("nosuch a=$arg1", "hidden_one b=$arg1");
	require(refused(apply(), "events/fathom_"));
	check_probe("p", "open hidden_one b=$arg1");
	assert_null(strstr(text("dynamic_events"), "nosuch"));
}

/* Types are quicker to read than symbols. */
static void prefers_a_function_that_has_a_type(void **state)
{
	require(plan.buffers);
	give_types();
	add_alternatives("hidden_one b=$arg1", "vfs_open c=$arg1");
	require(refused(apply(), "events/fathom_"));
	check_probe("p", "open vfs_open c=$arg1");
	assert_null(strstr(text("dynamic_events"), "hidden_one"));
}

static void does_without_probes_if_no_function_exists(void **state)
{
	require(plan.buffers);
	add_alternatives("nosuch a=$arg1", "nosuch2");
	if (went_well(apply()))
		assert_non_null(strstr(strbuf_str(&plan.notes), "no kernel function 'nosuch'"));
	assert_string_equal(text("dynamic_events"), "");
}

/* If there is neither BTF nor a list of symbols, the kernel decides. */
static void tries_all_probes_without_a_list(void **state)
{
	require(plan.buffers);
	tree_unlink("/proc/kallsyms");
	add_alternatives("nosuch a=$arg1", "nosuch2");
	require(refused(apply(), "events/fathom_"));
	check_probe("p", "open nosuch a=$arg1");
}

static void searches_lines_in_the_given_file(void **state)
{
	require(plan.buffers && plan_add_expression(&plan, "k:fs/open.c:5", &err) >= 0);
	plan.vmlinux = "/nonexistent/vmlinux";
	refused(apply(), "/nonexistent/vmlinux");
}

/*
 * Two functions of the same name, one variant created by the compiler, and one blacklisted
 * function.
 */
static void give_functions(void)
{
	tree_file(T "available_filter_functions", "vfs_open\n"
						  "vfs_same\n"
						  "vfs_read\n"
						  "vfs_same\n"
						  "vfs_read.isra.0\n"
						  "vfs_black\n"
						  "twice [a]\n"
						  "twice [b]\n");
	tree_file("/proc/kallsyms", "ffffffff81000000 T _text\n"
				    "ffffffff81000100 T vfs_open\n"
				    "ffffffff81000200 t vfs_same\n"
				    "ffffffff81000300 T vfs_read\n"
				    "ffffffff81000400 t vfs_same\n"
				    "ffffffff81000500 t vfs_read.isra.0\n"
				    "ffffffff81000600 T vfs_black\n");
	tree_file("/sys/kernel/debug/kprobes/blacklist",
		  "0xffffffff81000600-0xffffffff81000610\tvfs_black\n"
		  "0xffffffff81000700-0xffffffff81000710\tnot_vfs_open\n");
}

/* The steps that were reported, one per line. */
static void note_progress(void *data, const char *what, size_t done, size_t total)
{
	strbuf_addf(data, "%s %zu %zu\n", what, done, total);
}

static void creates_probes_on_many_functions(void **state)
{
	_cleanup_strbuf_ struct strbuf steps = { 0 };

	if (type_abi_native() != TYPE_ABI_X86_64)
		skip_because("the expected probes are those of x86-64");
	require(plan.buffers);
	give_types();
	give_functions();
	plan.progress = note_progress;
	plan.progress_data = &steps;
	require(plan_words_add(&plan.buffers->returns, "vfs_*") >= 0 &&
		plan_words_add(&plan.buffers->args, "vfs_open") >= 0 &&
		plan_add_expression(&plan, "k:twi?e($arg1)", &err) >= 0 &&
		refused(apply(), "events/fathom_"));
	check_probe("r128", "vfs_open_ret vfs_open ret=$retval:s32");
	check_probe("r128", "vfs_read_ret vfs_read ret=$retval:s64");
	check_probe("r128", "vfs_read_isra_0_ret vfs_read.isra.0 ret=$retval:s64");
	check_probe("r128", "vfs_same_ret _text+0x200 ret=$retval:x64");
	check_probe("r128", "vfs_same_ret_2 _text+0x400 ret=$retval:x64");
	check_probe("p", "vfs_open vfs_open path=%di:x64 file=%si:x64");
	check_probe("p", "twice a:twice arg1=%di:x64");
	check_probe("p", "twice_2 b:twice arg1=%di:x64");
	assert_non_null(strstr(strbuf_str(&plan.notes),
			       "'k:twi?e($arg1)': probing 2 of 2 functions\n"
			       "'--args vfs_open': probing 1 of 1 functions\n"
			       "'--returns vfs_*': probing 5 of 6 functions; 1 blacklisted by "
			       "the kernel\n"));
	assert_string_equal(strbuf_str(&steps), "creating probes 0 8\ncreating probes 1 8\n"
						"creating probes 2 8\ncreating probes 3 8\n"
						"creating probes 4 8\ncreating probes 5 8\n"
						"creating probes 6 8\ncreating probes 7 8\n");
}

/* Only errors are recorded, so functions whose type cannot hold an errno are skipped. */
static void creates_probes_where_errors_can_occur(void **state)
{
	if (type_abi_native() != TYPE_ABI_X86_64)
		skip_because("the expected probes are those of x86-64");
	require(plan.buffers);
	give_types();
	tree_file(T "available_filter_functions", "vfs_open\nvfs_read\nis_good\nunknown\n");
	require(plan_words_add(&plan.buffers->errors, "*") >= 0 &&
		refused(apply(), "events/fathom_"));
	check_probe("r128", "vfs_open_ret vfs_open ret=$retval:s32");
	check_probe("r128", "vfs_read_ret vfs_read ret=$retval:s64");
	check_probe("r128", "unknown_ret unknown ret=$retval:x64");
	assert_null(strstr(text("dynamic_events"), "is_good"));
}

/* The name of a function also means variants created by the compiler. */
static void creates_one_probe_if_two_names_match(void **state)
{
	const char *first;

	if (type_abi_native() != TYPE_ABI_X86_64)
		skip_because("the expected probes are those of x86-64");
	require(plan.buffers);
	give_types();
	give_functions();
	require(plan_words_add(&plan.buffers->returns, "vfs_read") >= 0 &&
		plan_words_add(&plan.buffers->returns, "vfs_read.isra.0") >= 0 &&
		refused(apply(), "events/fathom_"));
	check_probe("r128", "vfs_read_isra_0_ret vfs_read.isra.0 ret=$retval:s64");
	first = strstr(text("dynamic_events"), " vfs_read.isra.0 ");
	assert_non_null(first);
	assert_null(strstr(first + 1, " vfs_read.isra.0 "));
	assert_non_null(strstr(strbuf_str(&plan.notes),
			       "'--returns vfs_read': probing 2 of 2 functions\n"
			       "'--returns vfs_read.isra.0': probing 1 of 1 functions\n"));
}

static void uses_results_from_the_tracer_if_possible(void **state)
{
	require(plan.buffers);
	tree_file(T "options/funcgraph-retval", "0\n");
	plan.buffers->tracer = "function_graph";
	require(plan_words_add(&plan.buffers->returns, "vfs_*") >= 0 && went_well(apply()));
	assert_string_equal(text("options/funcgraph-retval"), "1");
	assert_string_equal(text("dynamic_events"), "");
}

/* Functions to be probed in this program. */
void probed_one(void);
void probed_two(void);

void probed_one(void)
{
	__asm__ volatile("");
}

void probed_two(void)
{
	__asm__ volatile("nop");
}

/* Returns the path of this program. */
static const char *own_path(void)
{
	static char path[512];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = '\0';
	return path;
}

static void creates_probes_on_user_functions(void **state)
{
	char wanted[700];
	const char *line;

	require_memory();
	plan.program = own_path();
	plan.yes = true; /* a sanitizer's runtime may throw exceptions */
	/* A function that matches two globs is probed once. */
	assert_int_equal(add(&plan.user_functions, "probed_one,probed_o*,probed_two"), 0);
	require(went_well(apply()));
	snprintf(wanted, sizeof(wanted), "\nf%s\n+probed_one\n+probed_two\n", own_path());
	assert_non_null(strstr(strbuf_str(&plan.users), wanted));
	assert_non_null(strstr(strbuf_str(&plan.notes), "probing 2 functions of 'plan-test'"));
	line = text("dynamic_events");
	assert_non_null(strstr(line, "/enter "));
	assert_non_null(strstr(line, " fn=\\0:u32 sp=$stack:u64"));
	assert_non_null(strstr(line, " fn=\\1:u32 sp=$stack:u64"));
	assert_null(strstr(line, " fn=\\2:u32"));
	line = strstr(line, "/leave ");
	assert_non_null(line);
	assert_non_null(strstr(line, " fn=\\0:u32\n"));
	assert_non_null(strstr(line, " fn=\\1:u32"));
}

static void rejects_user_functions(void **state)
{
	static const struct {
		bool has_program;
		const char *words[2], *message;
	} cases[] = {
		{ true,
		  { "probed_tow" },
		  "has no function 'probed_tow'; did you mean 'probed_two'?" },
		{ true, { "probed_one,zzzzzz*" }, "has no function 'zzzzzz*'" },
		{ true, { "probed_one", "probed_two" }, "duplicate file" },
		{ true, { "_start" }, "no function can be probed" },
		{ false, { "probed_one" }, "no program for" },
		{ false, { "/no/such file:f" }, "/no/such file" },
	};

	require_memory();
	plan.yes = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		plan.program = cases[i].has_program ? own_path() : NULL;
		plan.user_functions.n = 0;
		for (int k = 0; k < 2 && cases[i].words[k]; k++)
			assert_int_equal(add(&plan.user_functions, cases[i].words[k]), 0);
		require(refused(apply(), cases[i].message));
		end_session();
	}
}

static void rejects_too_many_probes(void **state)
{
	_cleanup_strbuf_ struct strbuf many = { 0 };

	for (int i = 0; i < 501; i++)
		strbuf_addf(&many, "f%d\n", i);
	require(plan.buffers && !many.err);
	tree_file(T "available_filter_functions", strbuf_str(&many));
	if (plan_add_expression(&plan, "kr:*", &err) == 0)
		refused(apply(), "'kr:*' matches 501 functions");
	end_session();
	plan.buffers->n_events = 0;
	if (plan_add_expression(&plan, "kr:g*", &err) == 0)
		refused(apply(), "no kernel function matches 'g*'");
}

static void rejects_invalid_expressions(void **state)
{
	require(plan.buffers);
	give_types();
	refused(plan_add_expression(&plan, "k:vfs_open(file->", &err), "expected a member name");
	assert_int_equal(plan.buffers[0].n_events, 0);
	if (plan_add_expression(&plan, "k:vfs_open(flie->f_flags)", &err) == 0)
		refused(apply(), "did you mean 'file'?");
}

static void reports_kernels_without_fprobes(void **state)
{
	tree_file(T "README", "tracing mini-HOWTO: t[:[<group>/]\n");
	if (plan.buffers && plan_add_expression(&plan, "fr:vfs_read => ret", &err) == 0)
		refused(apply(), "use 'kr:' instead of 'fr:'");
}

static void reports_the_kernels_message_about_a_probe(void **state)
{
	/* A directory cannot be written to. */
	tree_unlink(T "dynamic_events");
	tree_dir(T "dynamic_events");
	if (plan.buffers && plan_add_expression(&plan, "k:vfs_raed", &err) == 0)
		refused(apply(), "the kernel rejected the probe 'k:vfs_raed'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sets_requested_values),
		TEST(can_defer_the_tracer),
		TEST(disables_and_restores_a_tracer),
		TEST(measures_the_cost_of_functions),
		TEST(measures_only_if_many_functions_are_traced),
		TEST(does_not_measure_triggers),
		TEST(sets_options_of_a_tracer),
		TEST(selects_cpus),
		TEST(selects_all_cpus),
		TEST(sets_events),
		TEST(sets_pids),
		TEST(a_buffer_can_record_all_tasks),
		TEST(selects_functions_by_index),
		TEST(selects_functions_of_a_module),
		TEST(a_module_may_be_loaded_later),
		TEST(rejects_functions),
		TEST(suggests_similar_names),
		TEST(rejects_unknown_names),
		TEST(missing_events_may_be_ignored),
		cmocka_unit_test(knows_which_events_come_from_interrupts),
		cmocka_unit_test(filters_pass_all_other_tasks),
		TEST(excludes_tasks_but_not_interrupts),
		TEST(excludes_tasks_by_number_from_system_calls),
		TEST(says_which_part_of_interrupts_is_hidden),
		TEST(excludes_nobody_if_tasks_are_chosen),
		TEST(creates_probes_from_expressions),
		TEST(tries_the_probe_whose_function_exists),
		TEST(prefers_a_function_that_has_a_type),
		TEST(does_without_probes_if_no_function_exists),
		TEST(tries_all_probes_without_a_list),
		TEST(searches_lines_in_the_given_file),
		TEST(creates_probes_on_many_functions),
		TEST(creates_probes_where_errors_can_occur),
		TEST(creates_one_probe_if_two_names_match),
		TEST(uses_results_from_the_tracer_if_possible),
		TEST(creates_probes_on_user_functions),
		TEST(rejects_user_functions),
		TEST(rejects_too_many_probes),
		TEST(rejects_invalid_expressions),
		TEST(reports_kernels_without_fprobes),
		TEST(reports_the_kernels_message_about_a_probe),
		TEST(survives_failing_allocations),
	};
	const struct CMUnitTest short_of_memory[] = {
		TEST(sets_requested_values),
		TEST(selects_functions_by_index),
		TEST(creates_probes_from_expressions),
		TEST(tries_the_probe_whose_function_exists),
		TEST(searches_lines_in_the_given_file),
		TEST(creates_probes_on_many_functions),
	};

	return mem_fault ? cmocka_run_group_tests(short_of_memory, NULL, NULL) :
			   cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/why/why-command.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "actions/input/reading.h"
#include "actions/plan/plan-run.h"
#include "actions/plan/run-probes.h"
#include "actions/record/record-run.h"
#include "actions/record/record-samples.h"
#include "actions/why/why-arm.h"
#include "actions/why/why-chosen.h"
#include "actions/why/why-run.h"
#include "actions/why/why-slow.h"
#include "actions/why/why-symbols.h"
#include "actions/why/why-watch.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/unnamed-file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/quote.h"
#include "base/str.h"

#define STACKS_KB "1024" /* buffer size per CPU, for user stacks */

#define URING_KB "128" /* likewise, for io_uring requests */

static const char *const events[] = { "syscalls",	 "sched:sched_process_*",
				      "signal",		 "exceptions:page_fault_user",
				      "oom:mark_victim", "netlink:netlink_extack" };
/* io_uring requests of programs, and the completion of successful ones; see add_uring(). */
static const char *const uring_events[] = { "io_uring:io_uring_create",
					    "io_uring:io_uring_submit_*",
					    "io_uring:io_uring_req_failed",
					    "io_uring:io_uring_complete" };
/* Waits and wakeups. */
static const char *const slow_events[] = { "sched:sched_switch",  "sched:sched_waking",
					   "sched:sched_wakeup*", "irq:irq_handler_*",
					   "irq:softirq_*",	  "irq_vectors" };

/* What every run records: system calls and, if @functions, kernel functions. */
static int why_command_make_plan(const struct why_command *args, bool has_command, bool functions,
				 struct plan_args *plan, struct fathom_err *err)
{
	int r = plan_args_init(plan, err);

	if (r == 0 && functions)
		r = plan_arg_tracer(plan, "function_graph", err);
	if (r == 0 && has_command)
		r = plan_arg_command_only(plan, NULL, err);
	if (r == 0 && args->pids)
		r = plan_arg_pid(plan, args->pids, err);
	if (r == 0 && (has_command || args->pids))
		r = plan_arg_children(plan, NULL, err);
	if (r == 0)
		r = plan_arg_ignore(plan, NULL, err);
	/* Probes are placed without asking; tracing the functions of the whole system needs consent. */
	plan->plan.yes = true;
	plan->yes = args->yes;
	if (r == 0 && args->size)
		r = plan_arg_size(plan, args->size, err);
	if (r == 0 && args->force)
		r = plan_arg_force(plan, NULL, err);
	for (size_t i = 0; i < ARRAY_SIZE(events) && r == 0; i++)
		r = plan_arg_event(plan, events[i], err);
	for (size_t i = 0; i < ARRAY_SIZE(slow_events) && r == 0 && args->why.slow; i++)
		r = plan_arg_event(plan, slow_events[i], err);
	for (size_t i = 0; i < ARRAY_SIZE(uring_events) && r == 0 && !args->why.slow; i++)
		r = plan_arg_event(plan, uring_events[i], err);
	if (r == 0 && !args->why.slow)
		r = plan_arg_filter(plan, "res >= 0", err);
	return r < 0 ? r : run_probes_add(&plan->plan, !args->why.slow, err);
}

/*
 * An io_uring request may be executed by a kernel thread, which does not belong to the command. Failed requests, and
 * requests that such a thread takes, are therefore recorded for all tasks in a separate buffer, and assigned by ring.
 */
static int add_uring(struct why_command *args, struct plan_args *plan, struct fathom_err *err)
{
	const char *name = arena_printf(&args->arena, "fathom-why-%d-uring", (int)getpid());
	int r = name ? plan_arg_buffer(plan, name, err) : err_nomem(err);

	if (r == 0)
		r = plan_arg_event(plan, "io_uring:io_uring_complete", err);
	if (r == 0)
		r = plan_arg_filter(plan, "res < 0", err);
	if (r == 0)
		r = plan_arg_event(plan, "io_uring:io_uring_submit_*", err);
	if (r == 0)
		r = plan_arg_filter(plan, "sq_thread == 1", err);
	if (r == 0)
		r = plan_arg_size(plan, URING_KB, err);
	if (r == 0)
		plan->plan.buffers[plan->plan.n - 1].of_all = true;
	return r;
}

/* Records only these functions, one name per line, and their return values. */
static int why_command_add_functions(struct plan_args *plan, char *functions,
				     struct fathom_err *err)
{
	int r = 0;

	for (char *word; r == 0 && (word = str_next_line(&functions));) {
		const char *called = str_after(word, WHY_CALLS_ONLY);
		const char *answers = str_after(word, WHY_ANSWERS);
		const char *name = called ?: answers ?: word;

		/* Others are not even recorded: enabling the tracer for all functions takes long. */
		r = plan_arg_function(plan, name, err);
		if (r == 0 && !called)
			r = (answers ? plan_arg_returns : plan_arg_errors)(plan, name, err);
	}
	return r;
}

static void announce_rerun(const struct action *action, const struct why_command *args,
			   bool has_command, size_t n)
{
	if (args->why.report.quiet)
		return;
	if (has_command)
		quote_printf(action->messages,
			     "fathom why: a system call failed; rerunning with return probes on "
			     "%zu kernel functions (output discarded)\n",
			     n);
	else
		quote_printf(action->messages,
			     "fathom why: system calls failed; observing with return probes on "
			     "%zu kernel functions\n",
			     n);
}

static size_t why_command_count_lines(const char *s)
{
	size_t n = 0;

	for (; (s = strchr(s, '\n')); s++)
		n++;
	return n;
}

typedef int recording_shower(const struct action *action, struct why_args *args, const char *path,
			     struct out *out, struct fathom_err *err);

static int show_recording(const struct action *action, struct why_command *args,
			  recording_shower *show, const char *path, struct fathom_err *err)
{
	struct out out;
	int r;

	/* The command's output uses the other one. */
	out_init(&out, args->why.report.json ? action->out->stream : action->messages,
		 action->out->asked);
	reading_begin(action, args->why.report.quiet ? READING_QUIET : 0);
	r = show(action, &args->why, path, &out, err);
	reading_end();
	out_finish(&out);
	return r;
}

/* Records once and shows the result. Returns the exit status or a negative errno. */
static int record_and_show(const struct action *action, struct why_command *args, char **argv,
			   recording_shower *show, struct fathom_err *err)
{
	int r, code = record_run(action, &args->record, action->argc, argv);

	if (!args->record.is_made)
		return code;
	r = show_recording(action, args, show, args->record.output ?: "trace.dat", err);
	return r < 0 ? r : code;
}

static int show_input(const struct action *action, struct why_command *args, struct fathom_err *err)
{
	int r;

	reading_begin(action, args->why.report.quiet ? READING_QUIET : 0);
	r = (args->why.slow ? why_slow_show : why_show)(action, &args->why, args->input,
							action->out, err);
	if (r < 0)
		r = reading_failed(action, err);
	reading_end();
	return r;
}

/*
 * Signals that report errors of the program and, if @failures, failed calls are also recorded with
 * a user stack, in a separate buffer: in the main one, each probe hit would also have a stack.
 */
static int add_user_stacks(const struct action *action, struct why_command *args,
			   struct record_args *record, bool failures, struct fathom_err *err)
{
	struct plan_args *plan = &record->plan;
	const char *name = arena_printf(&args->arena, "fathom-why-%d", (int)getpid());
	const char *deadly = arena_printf(
		&args->arena,
		"sig == %d || sig == %d || sig == %d || sig == %d || sig == %d || sig == %d",
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS);
	int r;

	if (!name || !deadly)
		return err_nomem(err);
	if (!why_has_user_stacks()) {
		if (!args->why.report.quiet && failures)
			quote_printf(action->messages,
				     "fathom why: this kernel does not record user stacks: "
				     "'Called from' is left out\n");
		return 0;
	}
	r = plan_arg_buffer(plan, name, err);
	if (r == 0)
		r = plan_arg_event(plan, "signal:signal_deliver", err);
	if (r == 0)
		r = plan_arg_filter(plan, deadly, err);
	if (r == 0 && failures)
		r = plan_arg_event(plan, "raw_syscalls:sys_exit", err);
	if (r == 0 && failures)
		r = plan_arg_filter(plan, "ret < 0 && ret > -4096", err);
	if (r == 0)
		r = plan_arg_size(plan, STACKS_KB, err);
	/* Most programs have no frame pointers: where the kernel copies stacks, these are unwound. */
	record->unwind_bytes = UNWIND_BYTES;
	record->unwind_may_fail = true;
	return r < 0 ? r : plan_arg_user_stack(plan, NULL, err);
}

/* Records only these functions, and their return values with a single BPF program. */
static int add_armed(struct why_command *args, struct why_armed *armed, struct fathom_err *err)
{
	char *names = armed->names.s;
	int r = 0;

	for (char *word; r == 0 && names && (word = str_next_line(&names));)
		r = plan_arg_function(&args->record.plan, word, err);
	args->record.plan.plan.functions = &armed->functions;
	args->record.returns = armed->list;
	args->record.n_returns = armed->n;
	return r;
}

/* Plans to record the return values of the armed functions, or else of @functions; if there are none, no functions. */
static int plan_watch(const struct action *action, struct why_command *args,
		      struct strbuf *functions, struct why_armed *armed, struct fathom_err *err)
{
	bool watches = armed->n || functions->len;
	int r = why_command_make_plan(args, action->argc, watches, &args->record.plan, err);

	if (r == 0 && armed->n)
		r = add_armed(args, armed, err);
	else if (r == 0 && functions->s)
		r = why_command_add_functions(&args->record.plan, functions->s, err);
	if (r == 0 && watches && !why_has_types() && !args->why.report.quiet)
		quote_printf(
			action->messages,
			"fathom why: this kernel has no type information (BTF, CONFIG_DEBUG_INFO_BTF): "
			"stale registers of functions without a return value may look like errors\n");
	/* The last: these add buffers. */
	if (r == 0)
		r = add_uring(args, &args->record.plan, err);
	return r < 0 ? r : add_user_stacks(action, args, &args->record, true, err);
}

/* The recording is needed only until the second run: the file is unnamed, so that nothing is left behind. */
static int first_run(const struct action *action, struct why_command *args, int fd,
		     const char *path, char **argv, bool *ret_made, struct fathom_err *err)
{
	struct record_args first = args->record;
	int r;

	first.output = path;
	first.file = fd;
	r = why_command_make_plan(args, action->argc, true, &first.plan, err);
	if (r == 0)
		r = why_leave_out(&args->why, &first.plan.plan, err);
	if (r == 0)
		r = add_uring(args, &first.plan, err);
	if (r == 0)
		r = add_user_stacks(action, args, &first, false, err);
	if (r == 0)
		r = record_run(action, &first, action->argc, argv);
	plan_args_done(&first.plan);
	*ret_made = first.is_made;
	return r;
}

/* Records the return values of the functions found in the first run, and shows the result. */
static int watch_learned(const struct action *action, struct why_command *args, char **argv,
			 struct strbuf *functions, struct fathom_err *err)
{
	_cleanup_(why_armed_done) struct why_armed armed = { 0 };
	int r = 0;

	/* On the whole system, the BPF program would run for every task. */
	if ((action->argc || args->pids) && functions->len && why_can_arm())
		r = why_arm(&args->why, strbuf_str(functions), &armed, err);
	if (r == 0)
		r = plan_watch(action, args, functions, &armed, err);
	return r < 0 ? r : record_and_show(action, args, argv, why_show, err);
}

static int run_twice(const struct action *action, struct why_command *args, char **argv,
		     struct fathom_err *err)
{
	_cleanup_close_ int fd = unnamed_file_open(err);
	_cleanup_strbuf_ struct strbuf functions = { 0 };
	char path[64];
	bool wanted, is_made;
	int r, code;

	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	/* Running processes are observed in each way for half of the time. */
	args->record.for_ns -= args->record.for_ns / 2;
	code = first_run(action, args, fd, path, argv, &is_made, err);
	if (code < 0 || !is_made)
		return code;
	r = why_learn(action, &args->why, path, &functions, &wanted, err);
	if (r < 0)
		return r;
	if (!wanted) {
		args->why.runs = action->argc ? 1 : 0;
		r = show_recording(action, args, why_show, path, err);
		return r < 0 ? r : code;
	}
	announce_rerun(action, args, action->argc, why_command_count_lines(strbuf_str(&functions)));
	args->record.command_output = CHILD_OUTPUT_NOWHERE;
	args->why.runs = action->argc ? 2 : 0;
	r = watch_learned(action, args, argv, &functions, err);
	return r < 0 || !args->record.is_made ? r : code;
}

/* Whether to ask if the command may run again. */
static bool can_ask(const struct action *action, const struct why_command *args)
{
	return action->argc && !args->once && !args->why.report.quiet && !args->why.report.json &&
	       action->ask;
}

/* The recording does not contain the cause: finding it takes two more runs. */
static bool ask_again(const struct action *action, struct fathom_err *err)
{
	_cleanup_plan_signals_ struct plan_signals signals = PLAN_SIGNALS_NONE;
	bool is_taken = plan_signals_take(&signals, err) == 0;

	quote_printf(
		action->messages,
		"\nfathom why: run '%s' twice more, to find the kernel functions that the failed "
		"call goes through and to probe them? [y/N] ",
		action->argv[0]);
	fflush(action->messages);
	return is_taken && action->ask(signals.fd);
}

/* Shows the recording, and if no cause was found, offers to run the command again. */
static int show_and_ask(const struct action *action, struct why_command *args, char **argv,
			struct fathom_err *err)
{
	size_t undecided = 0;
	int code = why_show_apart(action, &args->why, args->record.output ?: "trace.dat",
				  &undecided, err);

	if (code != EXIT_OK || !undecided || !ask_again(action, err))
		return code < 0 ? code : 0;
	plan_args_done(&args->record.plan);
	args->record.returns = NULL;
	args->record.n_returns = 0;
	args->record.symbols = NULL;
	args->why.watched = 0;
	args->why.unwatched = args->why.asks = false;
	return run_twice(action, args, argv, err);
}

/* Without functions, or with armed ones only, few symbols are needed. */
static int why_command_add_symbols(struct why_command *args, const struct why_armed *armed,
				   struct strbuf *symbols, struct fathom_err *err)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	int r = session_env_open("", &env, err);

	if (r == 0)
		r = why_symbols(&env, strbuf_str(&armed->names), symbols);
	if (r == 0 && symbols->len)
		args->record.symbols = strbuf_str(symbols);
	return r == -ENOMEM ? err_nomem(err) : r;
}

/* A single run, with probes on the functions that the rules list. */
static int run_once(const struct action *action, struct why_command *args, char **argv,
		    struct fathom_err *err)
{
	_cleanup_(why_armed_done) struct why_armed armed = { 0 };
	_cleanup_strbuf_ struct strbuf functions = { 0 }, symbols = { 0 };
	int code, r = 0;

	if ((action->argc || args->pids) && why_can_arm())
		r = why_arm(&args->why, NULL, &armed, err);
	/* Setting one probe per function is slow: only on request. */
	if (r == 0 && !armed.n && args->once)
		r = why_watched(&args->why, &functions, err);
	if (r < 0)
		return r;
	args->why.runs = action->argc ? 1 : 0;
	args->why.watched = armed.n ? armed.n_wanted :
				      why_command_count_lines(strbuf_str(&functions));
	args->why.unwatched = action->argc && !args->why.watched;
	args->why.asks = can_ask(action, args);
	if (armed.n || args->why.unwatched)
		r = why_command_add_symbols(args, &armed, &symbols, err);
	if (r == 0)
		r = plan_watch(action, args, &functions, &armed, err);
	if (r < 0)
		return r;
	if (!args->why.asks) {
		r = record_and_show(action, args, argv, why_show, err);
	} else {
		code = record_run(action, &args->record, action->argc, argv);
		r = args->record.is_made ? show_and_ask(action, args, argv, err) : 0;
		r = r < 0 ? r : code;
	}
	/* The only sign that a module was unloaded after the list was made. */
	if (!args->record.is_made && armed.n)
		why_chosen_forget();
	return r;
}

/* Running processes are observed in two steps, unless one is enough. */
static bool runs_twice(const struct action *action, const struct why_command *args)
{
	if (action->argc)
		return args->rerun;
	return !args->once && !(args->pids && why_can_arm());
}

static int why_command_once_or_twice(const struct action *action, struct why_command *args,
				     char **argv, struct fathom_err *err)
{
	return (runs_twice(action, args) ? run_twice : run_once)(action, args, argv, err);
}

/* Records the successful command into the file @fd, without functions. Returns the exit status or a negative errno. */
static int record_good(const struct action *action, struct why_command *args, int fd,
		       const char *path, bool *ret_made, struct fathom_err *err)
{
	struct record_args good = args->record;
	char shell[] = "sh", option[] = "-c";
	/* Standard input belongs to the other command. */
	_cleanup_free_ char *script = mem_printf("exec </dev/null\n%s", args->good);
	char *argv[] = { shell, option, script, NULL };
	int r;

	if (!script)
		return err_nomem(err);
	good.output = path;
	good.file = fd;
	good.command_output = CHILD_OUTPUT_NOWHERE;
	r = why_command_make_plan(args, true, false, &good.plan, err);
	if (r == 0)
		r = add_uring(args, &good.plan, err);
	if (r == 0)
		r = record_run(action, &good, 3, argv);
	plan_args_done(&good.plan);
	*ret_made = good.is_made;
	return r;
}

static int run_compared(const struct action *action, struct why_command *args, char **argv,
			struct fathom_err *err)
{
	_cleanup_close_ int fd = unnamed_file_open(err);
	char path[64];
	bool is_made;
	int code;

	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!args->why.report.quiet)
		quote_printf(action->messages,
			     "fathom why: running '%s' to compare with (output discarded)\n",
			     args->good);
	code = record_good(action, args, fd, path, &is_made, err);
	if (code < 0 || !is_made)
		return code;
	args->why.compared = path;
	args->why.compared_name = args->good;
	code = why_command_once_or_twice(action, args, argv, err);
	args->why.compared = NULL;
	return code;
}

static int run_slow(const struct action *action, struct why_command *args, char **argv,
		    struct fathom_err *err)
{
	int r = why_command_make_plan(args, action->argc, true, &args->record.plan, err);

	if (r == 0 && why_has_user_stacks()) {
		r = plan_arg_user_stack(&args->record.plan, NULL, err);
		/* A slow call waits: a stack for every other event would cost too much. */
		args->record.unwind_bytes = UNWIND_BYTES;
		args->record.unwinds_only = "sched:sched_switch";
		args->record.unwind_may_fail = true;
	}
	return r < 0 ? r : record_and_show(action, args, argv, why_slow_show, err);
}

static int why_command_check(const struct why_command *args, bool has_command,
			     struct fathom_err *err)
{
	bool watches = args->pids || args->record.for_ns;

	if (args->once && args->rerun)
		return err_set(err, -EINVAL, "--once and --rerun are mutually exclusive");
	if (args->rerun && !has_command)
		return err_set(err, -EINVAL, "--rerun requires a command");
	if (args->input && (has_command || watches))
		return err_set(err, -EINVAL,
			       "--input cannot be combined with a command, -p or --for");
	if (!args->input && !has_command && !watches)
		return err_set(err, -EINVAL,
			       "no command given: use 'fathom why COMMAND' or 'fathom why -p PID "
			       "--for 10s'");
	if (has_command && watches)
		return err_set(
			err, -EINVAL,
			"a command cannot be combined with -p or --for: it is observed until "
			"it ends");
	if (args->good && args->why.slow)
		return err_set(err, -EINVAL, "--compare and --slow are mutually exclusive");
	if (args->good && !has_command)
		return err_set(err, -EINVAL, "--compare requires a command%s",
			       args->input ? ": with --input, use --compare-input" : "");
	if (args->good && args->why.compared)
		return err_set(err, -EINVAL,
			       "--compare and --compare-input are mutually exclusive");
	if (args->why.compared && (watches || args->why.slow))
		return err_set(err, -EINVAL,
			       "--compare-input cannot be combined with --slow, -p or --for");
	/* Takes two steps. */
	if (args->pids && !args->record.for_ns && !args->once && !args->why.slow)
		return err_set(err, -EINVAL, "no duration given: use --for, such as '--for 10s'");
	return 0;
}

/* The file is opened by another process, which needs an absolute path. */
static int why_command_find_kernel(struct why_command *args, struct fathom_err *err)
{
	const char *path = args->why.vmlinux;
	char here[PATH_MAX];

	if (access(path, R_OK) < 0)
		return err_set_errno(err, negative_errno(), "cannot read '%s'", path);
	if (*path == '/')
		return 0;
	if (!getcwd(here, sizeof(here)))
		return err_set_errno(err, negative_errno(), "cannot find the current directory");
	args->why.vmlinux = arena_printf(&args->arena, "%s/%s", here, path);
	return args->why.vmlinux ? 0 : err_nomem(err);
}

int why_command_run(const struct action *action)
{
	struct why_command *args = action->args;
	_cleanup_free_ char **argv = plan_run_argv(action);
	struct fathom_err err = { 0 };
	int code;

	if (!argv)
		return err_nomem(&err), action_failed(action, &err);
	if (why_command_check(args, action->argc, &err) < 0)
		return action_usage_error(action, &err);
	if (args->why.vmlinux && why_command_find_kernel(args, &err) < 0)
		return action_failed(action, &err);
	args->why.compared_name = args->why.compared;
	args->record.quiet = true;
	args->record.ret_missed = &args->why.missed;
	if (args->why.report.json)
		args->record.command_output = CHILD_OUTPUT_STDERR;
	/* Of a running process, it is unknown which failures matter. */
	if (!action->argc && !args->input && !args->why.slow)
		args->why.choice.all = args->why.of_all = true;
	code = args->input    ? show_input(action, args, &err) :
	       args->why.slow ? run_slow(action, args, argv, &err) :
	       args->good     ? run_compared(action, args, argv, &err) :
				why_command_once_or_twice(action, args, argv, &err);
	return code < 0 ? action_failed(action, &err) : code;
}

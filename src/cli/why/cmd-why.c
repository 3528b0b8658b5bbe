/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom why: find the kernel function that made a command fail. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "actions/input/time-arg.h"
#include "actions/why/why-command.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/errno-name.h"
#include "base/quote.h"
#include "base/str.h"
#include "cli/plan/plan-options.h"
#include "cli/record/record-options.h"

static int set_error(void *data, const char *value, struct fathom_err *err)
{
	struct why_command *args = data;
	int error = errno_number(value, strlen(value));

	if (!error)
		return err_set(err, -EINVAL, "invalid error '%s': expected a name such as EACCES",
			       value);
	if (args->why.choice.n_errors == ERRORS_MAX)
		return err_set(err, -EINVAL, "too many --errno options: expected at most %d",
			       ERRORS_MAX);
	args->errors[args->why.choice.n_errors++] = error;
	args->why.choice.errors = args->errors;
	return 0;
}

static int set_calls(void *data, const char *value, struct fathom_err *err)
{
	struct why_command *args = data;
	char *rest = arena_strdup(&args->arena, value);

	if (!rest)
		return err_nomem(err);
	for (char *word; (word = str_next_word(&rest, ","));) {
		if (args->why.choice.n_calls == CALLS_MAX)
			return err_set(err, -EINVAL, "too many system calls: expected at most %d",
				       CALLS_MAX);
		args->calls[args->why.choice.n_calls++] = word;
	}
	args->why.choice.calls = args->calls;
	return 0;
}

static int set_slow(void *data, const char *value, struct fathom_err *err)
{
	struct why_command *args = data;

	return time_arg_span(value, &args->why.slow, err);
}

static const struct option_def options[] = {
	OPT_GROUP("What to observe"),
	OPT_STRING('p', "pid", "PID,...", struct why_command, pids, "observe running processes"),
	OPT_CALL(0, "for", "DURATION", record_arg_for,
		 "observe for DURATION, such as 10s; without -p, the whole system"),
	OPT_STRING(0, "user", "USER", struct why_command, record.user, "run the command as USER"),
	OPT_FLAG(0, "rerun", struct why_command, rerun,
		 "run the command a second time, with probes on the functions that failed calls go "
		 "through"),
	OPT_FLAG(0, "once", struct why_command, once,
		 "never ask to run the command a second time; with -p, observe in one step"),
	OPT_STRING(
		0, "compare", "COMMAND", struct why_command, good,
		"run the shell command COMMAND first, and ignore failures that it has as well; it "
		"must succeed"),
	OPT_STRING(0, "compare-input", "FILE", struct why_command, why.compared,
		   "ignore failures that FILE, the recording of a successful command, has as well"),
	OPT_STRING('i', "input", "FILE", struct why_command, input,
		   "show a recording made by 'fathom why -o'; run nothing"),
	MAX_OVERHEAD_OPTION,
	OPT_FLAG(0, "yes", struct why_command, yes,
		 "with --for, observe the whole system without asking, whatever the overhead"),
	OPT_STRING('b', "buffer-size", "KB", struct why_command, size, "buffer size per CPU"),
	OPT_FLAG(0, "force", struct why_command, force,
		 "take over the top-level buffer; restore its settings on exit"),
	OPT_GROUP("What to show"),
	OPT_CALL(0, "slow", "DURATION", set_slow,
		 "show where calls of at least DURATION, such as 10ms, spent their time"),
	OPT_FLAG('a', "all", struct why_command, why.choice.all, "show every failed call"),
	OPT_CALL(0, "errno", "ERROR", set_error,
		 "show calls that failed with ERROR, for example EACCES"),
	OPT_CALL('e', "calls", "SYSCALL,...", set_calls,
		 "show failures of these system calls only"),
	OPT_STRING(0, "meanings", "FILE", struct why_command, why.rules,
		   "read error meanings from FILE, see fathom-meanings(5)"),
	OPT_STRING(0, "causes", "FILE", struct why_command, why.causes,
		   "read hints from FILE, see fathom-meanings(5)"),
	OPT_STRING(0, "vmlinux", "FILE", struct why_command, why.vmlinux,
		   "kernel image with debug information, for source lines"),
	OPT_GROUP("Output"),
	OPT_STRING('o', "output", "FILE", struct why_command, record.output,
		   "write the (last) recording to FILE (default: trace.dat)"),
	OPT_MODE(struct why_command, record.mode),
	OPT_FLAG('q', "quiet", struct why_command, why.report.quiet, "print only the result"),
	OPT_FLAG(0, "json", struct why_command, why.report.json,
		 "print JSON to standard output; the command's output goes to standard error"),
	OPT_END,
};

static void why_run_done(void *args)
{
	struct why_command *why = args;

	plan_args_done(&why->record.plan);
	arena_done(&why->arena);
}

const struct command command_why = {
	.name = "why",
	.summary = "find the kernel function that made a command fail",
	.description =
		"Runs COMMAND with probes on kernel functions. For each failed system call that matters, "
		"shows the innermost function that returned the error, what the error means, the call "
		"chain, and the checks that passed and failed. With --rerun, the command runs a second "
		"time, with probes on the functions that the failed calls went through. With --slow, "
		"shows where slow system calls spent their time. Without a command, -p and --for "
		"observe running processes.",
	.operands = "[COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct why_command),
	.runs_command = true,
	.for_recording = "why -i",
	.minds_sessions = true,
	.run = why_command_run,
	.done = why_run_done,
};

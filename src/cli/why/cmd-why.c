/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom why: runs a command and tells which function of the kernel made it fail. */
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
		return err_set(err, -EINVAL, "there is no error '%s'; one is called EACCES", value);
	if (args->why.choice.n_errors == ERRORS_MAX)
		return err_set(err, -EINVAL, "--errno can be given %d times", ERRORS_MAX);
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
			return err_set(err, -EINVAL, "-e takes %d system calls", CALLS_MAX);
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
	OPT_CALL(0, "slow", "TIME", set_slow,
		 "show calls that took this long, as 10ms, and where the time went"),
	OPT_FLAG(
		0, "rerun", struct why_command, rerun,
		"run the command a second time, to watch the functions that failed calls go through"),
	OPT_FLAG(0, "once", struct why_command, once,
		 "never ask to run the command a second time; with -p, watch in one step"),
	OPT_STRING('p', "pid", "PID", struct why_command, pids,
		   "watch this process, which runs already, or several with commas between"),
	OPT_CALL(0, "for", "TIME", record_arg_for,
		 "watch this long, such as 10s; without -p everything that runs"),
	MAX_OVERHEAD_OPTION,
	OPT_STRING(
		0, "compare", "COMMAND", struct why_command, good,
		"run this shell command first, which succeeds: failures of both are not the cause"),
	OPT_STRING(0, "compare-input", "FILE", struct why_command, why.compared,
		   "the same with this recording of a command that succeeded"),
	OPT_FLAG('a', "all", struct why_command, why.choice.all,
		 "show all calls that failed, not only those that matter"),
	OPT_CALL(0, "errno", "ERROR", set_error, "show calls that failed with this, as EACCES"),
	OPT_CALL('e', NULL, "CALLS", set_calls,
		 "show failures of these system calls, as openat,connect"),
	OPT_STRING('o', "output", "FILE", struct why_command, record.output,
		   "keep the (last) recording in FILE, not in trace.dat"),
	OPT_MODE(struct why_command, record.mode),
	OPT_STRING('i', "input", "FILE", struct why_command, input,
		   "run nothing, and show what is in this recording of an earlier 'fathom why -o'"),
	OPT_STRING(0, "user", "USER", struct why_command, record.user,
		   "run the command as this user"),
	OPT_STRING(0, "meanings", "FILE", struct why_command, why.rules,
		   "take what refusals mean from this file; see fathom-meanings(5)"),
	OPT_STRING(0, "causes", "FILE", struct why_command, why.causes,
		   "take what helps from this file; see fathom-meanings(5)"),
	OPT_STRING(0, "vmlinux", "FILE", struct why_command, why.vmlinux,
		   "take source lines of the kernel from this file with debug information"),
	OPT_STRING('b', NULL, "KB", struct why_command, size, "size of the ring of each CPU"),
	OPT_FLAG(0, "yes", struct why_command, yes,
		 "with --for: watch everything that runs without a question, whatever it costs"),
	OPT_FLAG(0, "force", struct why_command, force,
		 "put aside what somebody else traces at the top level meanwhile"),
	OPT_FLAG('q', "quiet", struct why_command, why.report.quiet, "say only why"),
	OPT_FLAG(0, "json", struct why_command, why.report.json,
		 "write JSON to stdout; what the command writes goes to stderr"),
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
	.summary = "run a command and show which function of the kernel made it fail, or slow",
	.description =
		"Runs COMMAND and watches what functions of the kernel return to it: as many at once as the "
		"kernel can. Shows for each failed system call that matters the function, deepest inside, "
		"that decided it, how the error came up to the program, what it means, and which checks had "
		"nothing against it. With --rerun the command is run a second time, and the functions are "
		"watched that its failed calls went through. "
		"With --slow: of calls that took long, where in the kernel the time went. Without a "
		"command, -p and --for watch what runs already.",
	.operands = "[COMMAND [ARGUMENT...]]",
	.options = options,
	.args_size = sizeof(struct why_command),
	.runs_command = true,
	.for_recording = "why -i",
	.minds_sessions = true,
	.run = why_command_run,
	.done = why_run_done,
};

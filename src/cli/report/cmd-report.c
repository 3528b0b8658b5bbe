/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom report: the events of trace files as text. The options are those of trace-cmd, and more. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdio.h>

#include "actions/report/report-show.h"
#include "base/err.h"
#include "base/quote.h"
#include "cli/report/report-options.h"

#define FLAG(letter, name, field, text) OPT_FLAG(letter, name, struct report_args, field, text)

static const struct option_def options[] = {
	OPT_CALL('i', "input", "FILE", report_arg_file,
		 "read this file (may be given several times); default is trace.dat"),
	REPORT_SELECT_OPTIONS,
	REPORT_COUNT_OPTIONS,
	OPT_CHOICE(0, "time", "HOW", "absolute relative delta", struct report_args, time,
		   "show times as they are, from the first event on, or since the one before"),
	FLAG('t', NULL, options.nanoseconds, "show nanoseconds"),
	FLAG('l', NULL, options.latency, "latency format: narrow, with flags"),
	FLAG('R', "raw", options.raw, "show fields instead of the kernel's text"),
	OPT_CALL('r', NULL, "EVENT", report_arg_raw_event,
		 "the same for events (or systems) that match"),
	FLAG('N', NULL, options.plain, "use the kernel's text for all events"),
	OPT_CALL('n', NULL, "EVENT", report_arg_no_handler,
		 "the same for events (or systems) that match"),
	OPT_CALL('O', NULL, "OPTION", report_arg_text_option,
		 "details of the text: parent, indent=0, offset, fgraph:tailprint, fgraph:depth, "
		 "fgraph:retval-skip, fgraph:retval-dec, fgraph:retval-hex"),
	FLAG(0, "graph", graph, "show calls as a tree, as the kernel's trace file does"),
	FLAG(0, "json", json, "one JSON object per event and line"),
	FLAG(0, "csv", csv, "comma-separated values"),
	OPT_CHOICE(0, "compat", "VERSION", "3.4 3.1", struct report_args, compat,
		   "write the text of this version of trace-cmd"),
	FLAG('w', NULL, wakeups, "show how long woken tasks wait until they run"),
	FLAG(0, "ts-diff", options.time_diff, "show the time since the line before as well"),
	FLAG(0, "ts-check", check, "complain when time runs backwards"),
	FLAG(0, "nodate", no_date, "do not turn times into dates"),
	FLAG(0, "raw-ts", raw_ts, "show times as they are in the ring buffer"),
	FLAG(0, "align-ts", align, "count time from the first event"),
	OPT_CALL(0, "ts-offset", "NS", report_arg_offset,
		 "add this to the times of the file before it"),
	OPT_CALL(0, "ts2secs", "HZ", report_arg_ts2secs,
		 "the clock's frequency, where it is not known"),
	OPT_STRING(0, "kallsyms", "FILE", struct report_args, kallsyms,
		   "take the names of functions from this file"),
	FLAG(0, "user-symbols", user_symbols,
	     "name functions of programs in user stacks and probes; reads their files"),
	FLAG(0, "lines", lines, "the same, with source lines and inlined functions"),
	FLAG(0, "debuginfod", debuginfod,
	     "the same, and ask the servers in DEBUGINFOD_URLS for files that are not here"),
	FLAG('e', NULL, endian, "show the byte order of the file, no events"),
	FLAG('p', NULL, page_size, "show the page size of the file"),
	FLAG('f', NULL, functions, "list the functions in the file"),
	FLAG('P', NULL, printk, "list the formats of trace_printk() in the file"),
	FLAG('E', NULL, events, "list the events that the file describes"),
	FLAG(0, "events", formats, "show the descriptions of all events"),
	OPT_STRING(0, "event", "EVENT", struct report_args, format,
		   "show the description of an event, or of a system's events"),
	FLAG(0, "check-events", check_formats, "check that all descriptions can be read"),
	FLAG(0, "cpus", cpu_list, "list the CPUs that have events"),
	FLAG(0, "first-event", first_event, "the same, with the time of the first event"),
	FLAG(0, "last-event", last_event, "the same, with the time of the last event"),
	FLAG(0, "stat", stat, "show the kernel's counters at the end of the recording"),
	FLAG(0, "uname", uname, "show on which kernel the file was recorded"),
	FLAG(0, "version", recorder, "show the version of the program that recorded the file"),
	FLAG('T', "filter-test", test_filters, "check the filters and end"),
	FLAG('q', NULL, quiet, "do not tell about lost events and damage at the end"),
	FLAG(0, "boundary", options.boundary, "show where the kernel's sub-buffers begin"),
	FLAG(0, "debug", options.debug, "the same, with where they and the events lie in the file"),
	FLAG('L', NULL, no_system_plugins, "accepted, without effect: there are no plug-ins"),
	FLAG('V', NULL, verbose_flag, "accepted, without effect"),
	OPT_STRING(0, "verbose", "LEVEL", struct report_args, verbose, "accepted, without effect"),
	FLAG(0, "profile", profile, "not here: see -w, and 'trace-cmd report --profile'"),
	OPT_STRING('H', NULL, "HOOK", struct report_args, hook,
		   "accepted, without effect but with --profile"),
	FLAG('G', NULL, global, "the same"),
	FLAG(0, "by-comm", by_comm, "the same"),
	OPT_END,
};

/* Commands that answer what --profile does, as far as they are there. */
static const char *profile_commands(char *text, size_t size)
{
	static const char *const names[] = { "stats", "offcpu", "latency" };
	size_t len = 0;

	*text = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (command_find(names[i]))
			len += (size_t)snprintf(text + len, size - len, "'fathom %s', ", names[i]);
	return text;
}

/* Options of trace-cmd without which the output would mean something else. */
static int cmd_report_refuse(const struct report_args *args, struct fathom_err *err)
{
	char answers[96];

	if (args->profile)
		return err_set(err, -EINVAL,
			       "'--profile' is not there: report makes no profiles; use %s'-w' for "
			       "the time until woken tasks run, or 'trace-cmd report --profile'",
			       profile_commands(answers, sizeof(answers)));
	return 0;
}

/* Options that only make a difference with --profile, in trace-cmd too. */
static void tell_unused(const struct report_args *args)
{
	const char *name = args->hook	 ? "-H" :
			   args->global	 ? "-G" :
			   args->by_comm ? "--by-comm" :
					   NULL;

	if (name && !args->quiet)
		quote_printf(stderr, "fathom report: '%s' changes nothing without '--profile'\n",
			     name);
}

static int cmd_report_run(const struct action *action)
{
	struct report_args *args = action->args;
	struct fathom_err err = { 0 };

	if (args->n_files && action->argc) {
		err_set(&err, -EINVAL, "give files with '-i' or without it, not both");
		return action_usage_error(action, &err);
	}
	for (int i = 0; i < action->argc; i++)
		if (report_arg_file(args, action->argv[i], &err) < 0)
			return action_usage_error(action, &err);
	if (!args->n_files)
		args->files[args->n_files++].path = "trace.dat";
	args->user_symbols |= args->lines || args->debuginfod;
	if (cmd_report_refuse(args, &err) < 0)
		return action_usage_error(action, &err);
	tell_unused(args);
	args->options.compat_31 = args->compat;
	args->options.time = args->time;
	args->options.boundary |= args->options.debug;
	return report_show(action, args);
}

const struct command command_report = {
	.name = "report",
	.summary = "show the events of a trace file as text",
	.description = "Shows the events of trace files that fathom or trace-cmd recorded, a line "
		       "each, in the order of time. The text is that of trace-cmd report.",
	.operands = "[FILE...]",
	.options = options,
	.args_size = sizeof(struct report_args),
	.paged = true,
	.run = cmd_report_run,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom report: print the events of trace files. A superset of the options of 'trace-cmd report'. */
#include "cli/kit/commands.h"

#include <errno.h>
#include <stdio.h>

#include "actions/report/report-show.h"
#include "base/err.h"
#include "base/quote.h"
#include "cli/report/report-options.h"

#define FLAG(letter, name, field, text) OPT_FLAG(letter, name, struct report_args, field, text)

static const struct option_def options[] = {
	OPT_GROUP("Files"),
	OPT_CALL('i', "input", "FILE", report_arg_file,
		 "read this file; may be repeated (default: trace.dat)"),
	OPT_STRING(0, "kallsyms", "FILE", struct report_args, kallsyms,
		   "read kernel symbols from this file"),
	FLAG(0, "user-symbols", user_symbols,
	     "show user functions by name; opens the files of programs"),
	FLAG(0, "lines", lines, "like --user-symbols, with source lines and inlined functions"),
	FLAG(0, "debuginfod", debuginfod,
	     "like --user-symbols, and download missing files from DEBUGINFOD_URLS"),
	OPT_GROUP("Which events"),
	REPORT_SELECT_OPTIONS,
	REPORT_COUNT_OPTIONS,
	FLAG('T', "filter-test", test_filters, "check the filters and exit"),
	OPT_GROUP("Format"),
	FLAG(0, "graph", graph, "show calls as a tree, like the kernel's trace file"),
	OPT_STRING(
		0, "fields", "NAME,...", struct report_args, fields,
		"print these columns: time, cpu, pid, comm, system, event, buffer, text, or fields"),
	OPT_STRING(0, "format", "TEMPLATE", struct report_args, layout,
		   "print events in this layout, for example '%(time) %(comm) %(prev_state)'"),
	FLAG('l', NULL, options.latency, "use the narrow latency format, with flags"),
	FLAG('R', "raw", options.raw, "show raw fields instead of formatted text"),
	OPT_CALL('r', NULL, "EVENT", report_arg_raw_event,
		 "show raw fields of matching events or systems"),
	FLAG('N', NULL, options.plain, "format all events as the kernel does"),
	OPT_CALL('n', NULL, "EVENT", report_arg_no_handler,
		 "format matching events or systems as the kernel does"),
	OPT_CALL('O', NULL, "OPTION", report_arg_text_option,
		 "set a format option: parent, indent=0, offset, fgraph:tailprint, fgraph:depth, "
		 "fgraph:retval-skip, fgraph:retval-dec, fgraph:retval-hex"),
	OPT_CHOICE(0, "compat", "VERSION", "3.4 3.1", struct report_args, compat,
		   "match the output of this version of trace-cmd"),
	FLAG('w', NULL, wakeups, "show the wakeup latency of tasks"),
	FLAG(0, "boundary", options.boundary, "show the boundaries of the kernel's sub-buffers"),
	FLAG(0, "debug", options.debug,
	     "like --boundary, with the file offsets of sub-buffers and events"),
	OPT_GROUP("Times"),
	OPT_CHOICE(0, "time", "HOW", REPORT_TIMES, struct report_args, time,
		   "show times as recorded, relative to the first event, or to the previous one"),
	FLAG('t', NULL, options.nanoseconds, "show times in nanoseconds"),
	FLAG(0, "ts-diff", options.time_diff, "also show the time since the previous line"),
	FLAG(0, "nodate", no_date, "don't convert times to dates"),
	FLAG(0, "align-ts", align, "show times relative to the first event"),
	FLAG(0, "raw-ts", raw_ts, "show times as in the ring buffer"),
	OPT_CALL(0, "ts-offset", "NS", report_arg_offset,
		 "add NS nanoseconds to the times of the preceding file"),
	OPT_CALL(0, "ts2secs", "HZ", report_arg_ts2secs,
		 "frequency of the trace clock, if the file does not contain it"),
	FLAG(0, "ts-check", check, "warn when time goes backwards"),
	OPT_GROUP("Contents of the file"),
	FLAG('E', NULL, events, "list the events described in the file"),
	FLAG(0, "events", formats, "show the formats of all events"),
	OPT_STRING(0, "event", "EVENT", struct report_args, format,
		   "show the format of an event, or of the events of a system"),
	FLAG(0, "check-events", check_formats, "check that all event formats can be parsed"),
	FLAG('f', NULL, functions, "list the functions in the file"),
	FLAG('P', NULL, printk, "list the trace_printk() formats in the file"),
	FLAG(0, "cpus", cpu_list, "list the CPUs with events"),
	FLAG(0, "first-event", first_event, "list the CPUs with the time of their first event"),
	FLAG(0, "last-event", last_event, "list the CPUs with the time of their last event"),
	FLAG(0, "stat", stat, "show the kernel's buffer statistics at the end of the recording"),
	FLAG(0, "uname", uname, "show the kernel on which the file was recorded"),
	FLAG(0, "version", recorder, "show the version of the program that made the recording"),
	FLAG('e', NULL, endian, "show the byte order of the file instead of events"),
	FLAG('p', NULL, page_size, "show the page size of the file"),
	OPT_GROUP_MANUAL_ONLY("Compatibility with trace-cmd"),
	FLAG('L', NULL, no_system_plugins, "ignored; accepted for compatibility with trace-cmd"),
	FLAG('V', NULL, verbose_flag, "ignored; accepted for compatibility with trace-cmd"),
	OPT_STRING(0, "verbose", "LEVEL", struct report_args, verbose,
		   "ignored; accepted for compatibility with trace-cmd"),
	FLAG(0, "profile", profile, "unsupported; see -w, or use 'trace-cmd report --profile'"),
	OPT_STRING('H', NULL, "HOOK", struct report_args, hook,
		   "ignored; only has a meaning with --profile"),
	FLAG('G', NULL, global, "ignored; only has a meaning with --profile"),
	FLAG(0, "by-comm", by_comm, "ignored; only has a meaning with --profile"),
	OPT_GROUP("Output"),
	FLAG(0, "json", json, "print one JSON object per event"),
	FLAG(0, "csv", csv, "print comma-separated values"),
	FLAG('q', "quiet", quiet, "don't report lost events and damage at the end"),
	OPT_END,
};

/* The commands in place of --profile, if they are built. */
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

/* Rejects options of trace-cmd that cannot be ignored without changing what the output means. */
static int cmd_report_refuse(const struct report_args *args, struct fathom_err *err)
{
	char answers[96];

	if (args->profile)
		return err_set(err, -EINVAL,
			       "unsupported option '--profile': use %s'-w' for wakeup latency, or "
			       "'trace-cmd report --profile'",
			       profile_commands(answers, sizeof(answers)));
	if (args->json + args->csv + args->graph + args->wakeups + !!args->fields + !!args->layout >
		    1 &&
	    (args->fields || args->layout))
		return err_set(err, -EINVAL,
			       "--%s cannot be combined with --json, --csv, --graph, -w or --%s",
			       args->fields ? "fields" : "format",
			       args->fields ? "format" : "fields");
	return 0;
}

/* Options that have no effect without --profile, as in trace-cmd. */
static void warn_unused(const struct report_args *args)
{
	const char *name = args->hook	 ? "-H" :
			   args->global	 ? "-G" :
			   args->by_comm ? "--by-comm" :
					   NULL;

	if (name && !args->quiet)
		quote_printf(stderr, "fathom report: '%s' has no effect without '--profile'\n",
			     name);
}

static int cmd_report_run(const struct action *action)
{
	struct report_args *args = action->args;
	struct fathom_err err = { 0 };

	if (args->n_files && action->argc) {
		err_set(&err, -EINVAL, "-i and file arguments are mutually exclusive");
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
	warn_unused(args);
	args->options.compat_31 = args->compat;
	args->options.time = args->time;
	args->options.boundary |= args->options.debug;
	return report_show(action, args);
}

const struct command command_report = {
	.name = "report",
	.summary = "print the events of a trace file",
	.description = "Prints the events of recordings by fathom or trace-cmd, one per line, in "
		       "time order. The format is that of 'trace-cmd report'.",
	.operands = "[FILE...]",
	.options = options,
	.args_size = sizeof(struct report_args),
	.paged = true,
	.run = cmd_report_run,
};

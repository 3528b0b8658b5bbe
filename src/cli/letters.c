/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/letters.h"

#include <string.h>

#include "base/str.h"
#include "cli/plan/plan-options.h"
#include "cli/record/record-options.h"
#include "cli/report/report-options.h"

const struct letter letters[] = {
	{ 'a', "all", "everything instead of a selection" },
	{ 'b', "buffer-size", "buffer size per CPU" },
	{ 'B', "buffer", "a buffer, for example an instance" },
	{ 'c', "count", "count events" },
	{ 'C', "cpu cpus", "CPUs" },
	{ 'd', "depth", "number of levels" },
	{ 'e', "event calls execute", "events, system calls or a script" },
	{ 'f', "format", "output format" },
	{ 'F', "filter", "filter for events that are read" },
	{ 'g', "below", "calls below a function" },
	{ 'h', "help", "show options" },
	{ 'i', "input", "file to read" },
	{ 'I', "", "hide events in hardware interrupts" },
	{ 'k', "keep", "keep the settings of a session" },
	{ 'l', "list", "list items" },
	{ 'm', "module", "kernel module" },
	{ 'n', "rows count", "number of rows, calls or hits" },
	{ 'o', "output", "file to write" },
	{ 'p', "pid", "running processes" },
	{ 'P', "", "running processes, as in 'trace-cmd record'", plan_arg_pid },
	{ 'q', "quiet", "print less" },
	{ 's', "sort", "sort order" },
	{ 'S', "", "hide events in softirqs" },
	{ 'T', "stack", "stack traces" },
	{ 'U', "", "all functions of the program", plan_arg_all_user_functions },
	{ 'v', "verbose", "print more" },
	{ 'x', "hex", "hexadecimal numbers" },
	{ 'y', "yes", "don't ask" },
	{ 0 },
};

const struct letter_exception letter_exceptions[] = {
	{ NULL, 'v', NULL, report_arg_negate,
	  "commands with -F: invert the filters that follow, as in 'trace-cmd report'" },
	{ "sample", 'F', "frequency", NULL, "sampling frequency, as in 'perf record'" },
	{ "list", 'i', "ignore-case", NULL, "ignore case, as in 'grep'" },
	{ 0 },
};

const struct letter_compat letter_compats[] = {
	{ "record set start stream", "cCdDfFgilMnOpRv" },
	{ "record", "aAHKmNrsV" },
	{ "stream", "t" },
	{ "report", "eEfGHlLnNOpPrRtTVw" },
	{ "clear extract restart stop", "at" },
	{ "extract", "s" },
	{ "list", "BCefFopt" },
	{ "restore", "ckt" },
	{ "show", "cfps" },
	{ "snapshot", "cfrs" },
	{ "split", "bcemprstu" },
	{ "stat", "to" },
	{ 0 },
};

bool letter_is_usual(const struct option_def *def)
{
	for (const struct letter *l = letters; l->letter; l++)
		if (l->letter == def->letter)
			return def->name ? str_has_word(l->names, " ", def->name) :
					   !*l->names && l->call == def->call;
	return false;
}

const struct letter_exception *letter_find_exception(const struct command *command,
						     const struct option_def *def)
{
	for (const struct letter_exception *e = letter_exceptions; e->letter; e++) {
		if (e->letter != def->letter ||
		    (e->commands && !str_has_word(e->commands, " ", command->name)))
			continue;
		if (e->name ? def->name && str_eq(e->name, def->name) : e->call == def->call)
			return e;
	}
	return NULL;
}

const struct letter_compat *letter_find_compat(const struct command *command,
					       const struct option_def *def)
{
	for (const struct letter_compat *c = letter_compats; c->commands; c++)
		if (strchr(c->letters, def->letter) &&
		    str_has_word(c->commands, " ", command->name))
			return c;
	return NULL;
}

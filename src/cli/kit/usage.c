/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/kit/usage.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/quote.h"

/* Column of option descriptions. */
#define HELP_COLUMN 24
/* The layout of the overview and of the list of all commands. */
#define EXAMPLE_COLUMN	39
#define OVERVIEW_COLUMN 20
#define OVERVIEW_WIDTH	79
#define SUMMARY_COLUMN	14

void usage_synopsis(const struct command *command, char *line, size_t size)
{
	snprintf(line, size, "fathom %s [OPTION...]%s%s", command->name,
		 command->operands[0] ? " " : "", command->operands);
}

/* "FILE", or "{auto|always|never}" if the option has a fixed set of values. */
static void usage_argument(const struct option_def *def, char *text, size_t size)
{
	if (def->kind != OPTION_CHOICE) {
		snprintf(text, size, "%s", def->arg ?: "");
		return;
	}
	snprintf(text, size, "{%s}", def->choices);
	for (char *c = text; *c; c++)
		if (*c == ' ')
			*c = '|';
}

void usage_option_head(const struct option_def *def, char *text, size_t size)
{
	char arg[USAGE_LINE_SIZE];

	usage_argument(def, arg, sizeof(arg));
	if (def->letter && def->name)
		snprintf(text, size, "-%c, --%s%s%s", def->letter, def->name, def->arg ? "=" : "",
			 arg);
	else if (def->letter)
		snprintf(text, size, "-%c%s%s", def->letter, def->arg ? " " : "", arg);
	else
		snprintf(text, size, "    --%s%s%s", def->name, def->arg ? "=" : "", arg);
}

static void print_row(struct out *out, const char *head, const char *text)
{
	unsigned at = 2 + (unsigned)strlen(head);

	quote_printf(out->stream, "  %s%s%s", out_style(out, OUT_NAME), head,
		     out_style(out, OUT_PLAIN));
	if (at + 2 > HELP_COLUMN) {
		fputc('\n', out->stream);
		at = 0;
	}
	quote_printf(out->stream, "%*s", (int)(HELP_COLUMN - at), "");
	out_wrap(out, HELP_COLUMN, HELP_COLUMN, text);
}

static void usage_print_options(struct out *out, const struct option_def *defs)
{
	char head[USAGE_LINE_SIZE];
	bool hidden = false;

	for (; defs->kind != OPTION_END; defs++) {
		if (defs->kind == OPTION_GROUP)
			hidden = defs->manual_only;
		if (hidden)
			continue;
		if (defs->kind == OPTION_GROUP) {
			out_printf(out, OUT_TITLE, "\n%s\n", defs->help);
			continue;
		}
		usage_option_head(defs, head, sizeof(head));
		print_row(out, head, defs->help);
	}
}

void usage_print(const struct command *command, struct out *out)
{
	char line[USAGE_LINE_SIZE];

	usage_synopsis(command, line, sizeof(line));
	quote_printf(out->stream, "usage: %s\n\n", line);
	out_wrap(out, 0, 0, command->description);
	if (command->options[0].kind != OPTION_GROUP)
		fputc('\n', out->stream);
	usage_print_options(out, command->options);
	usage_print_options(out, common_options);
	quote_printf(out->stream, "\nThe manual: man fathom-%s\n", command->name);
}

/* Command lines of the overview; each fits in 80 columns. */
static const struct {
	const char *line, *what;
} usage_examples[] = {
	{ "fathom doctor", "check what this machine can trace" },
	{ "fathom run ls -l /", "run a command, show where the time went" },
	{ "fathom why cat /root/secret", "find the kernel check that failed" },
	{ "fathom sample -a --for 10s", "sample all CPUs, with stack traces" },
	{ "fathom record -e sched sleep 1", "record events to trace.dat" },
	{ "fathom report", "print the events in trace.dat" },
	{ "fathom tui", "browse trace.dat in the terminal" },
	{ "fathom explain vfs_read", "describe a function, event or syscall" },
};

/* Prints a group of the overview, whose title is in @row; returns the row of the next one. */
static const struct command_row *usage_print_group(struct out *out, const struct command_row *row)
{
	unsigned column = OVERVIEW_COLUMN;

	quote_printf(out->stream, "%s%s%s%*s", out_style(out, OUT_TITLE), row->group,
		     out_style(out, OUT_PLAIN), OVERVIEW_COLUMN - (int)strlen(row->group), "");
	for (row++; row->command; row++) {
		unsigned len = (unsigned)strlen(row->command->name);
		bool first = column == OVERVIEW_COLUMN;

		if (!first && column + 1 + len > OVERVIEW_WIDTH) {
			quote_printf(out->stream, "\n%*s", OVERVIEW_COLUMN, "");
			column = OVERVIEW_COLUMN;
			first = true;
		}
		quote_printf(out->stream, "%s%s", first ? "" : " ", row->command->name);
		column += len + !first;
	}
	fputc('\n', out->stream);
	return row;
}

void usage_print_overview(struct out *out)
{
	const struct command_row *row = command_rows;

	fputs("fathom traces a Linux program from main() down to the device and shows where\n"
	      "its time goes. It drives the kernel's own tracers and restores their settings.\n\n",
	      out->stream);
	for (size_t i = 0; i < ARRAY_SIZE(usage_examples); i++)
		quote_printf(out->stream, "  %s%s%s%*s%s\n", out_style(out, OUT_NAME),
			     usage_examples[i].line, out_style(out, OUT_PLAIN),
			     EXAMPLE_COLUMN - 2 - (int)strlen(usage_examples[i].line), "",
			     usage_examples[i].what);
	fputc('\n', out->stream);
	while (row->group)
		row = usage_print_group(out, row);
	fputs("\nRecording needs root; looking at a recording does not.\n"
	      "'fathom help -a' describes every command; 'fathom help COMMAND' is its manual.\n",
	      out->stream);
}

void usage_print_all(struct out *out)
{
	fputs("usage: fathom COMMAND [OPTION...] [ARGUMENT...]\n", out->stream);
	for (const struct command_row *row = command_rows; row->group || row->command; row++)
		if (row->group)
			quote_printf(out->stream, "\n%s%s%s\n", out_style(out, OUT_TITLE),
				     row->group, out_style(out, OUT_PLAIN));
		else
			quote_printf(out->stream, "  %s%s%s%*s%s\n", out_style(out, OUT_NAME),
				     row->command->name, out_style(out, OUT_PLAIN),
				     SUMMARY_COLUMN - 2 - (int)strlen(row->command->name), "",
				     row->command->summary);
	fputs("\n'fathom COMMAND -h' lists options, 'fathom help COMMAND' shows the manual.\n",
	      out->stream);
}

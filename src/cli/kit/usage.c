/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/kit/usage.h"

#include <stdio.h>
#include <string.h>

#include "base/quote.h"

/* Where the texts behind the options begin. */
#define HELP_COLUMN 24

void usage_synopsis(const struct command *command, char *line, size_t size)
{
	snprintf(line, size, "fathom %s [OPTION...]%s%s", command->name,
		 command->operands[0] ? " " : "", command->operands);
}

void usage_option_head(const struct option_def *def, char *text, size_t size)
{
	const char *arg = def->arg ?: "";

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

	for (; defs->kind != OPTION_END; defs++) {
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
	fputc('\n', out->stream);
	usage_print_options(out, command->options);
	usage_print_options(out, common_options);
	quote_printf(out->stream, "\nMore in the manual: man fathom-%s\n", command->name);
}

void usage_print_all(struct out *out)
{
	fputs("usage: fathom COMMAND [OPTION...] [ARGUMENT...]\n\n", out->stream);
	out_wrap(out, 0, 0,
		 "fathom shows what a Linux system really does, from main() through the library, "
		 "the system call and the kernel down to the device.");
	fputc('\n', out->stream);
	for (size_t i = 0; commands[i]; i++)
		print_row(out, commands[i]->name, commands[i]->summary);
	fputs("\n'fathom COMMAND -h' tells about one of them, 'man fathom' about all.\n"
	      "New here? 'fathom doctor' says what this machine can do.\n",
	      out->stream);
}

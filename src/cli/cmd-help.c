/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom help: the list of commands, or the manual of one. */
#include "cli/kit/commands.h"

#include <stdio.h>
#include <unistd.h>

#include "process/caller-enter.h"
#include "cli/kit/usage.h"

static const struct option_def options[] = {
	OPT_END,
};

/* Shows the man page where there is one to show and a terminal to show it on. */
static void show_manual(const struct command *command, const struct out *out)
{
	char page[USAGE_LINE_SIZE];

	if (!out->terminal)
		return;
	snprintf(page, sizeof(page), "fathom-%s", command->name);
	if (caller_enter() == 0)
		execlp("man", "man", page, (char *)NULL);
}

static int cmd_help_run(const struct action *action)
{
	const struct command *command;

	if (action->argc == 0) {
		usage_print_all(action->out);
		return EXIT_OK;
	}
	command = command_find(action->argv[0]);
	if (!command)
		return command_unknown(action->argv[0]);
	show_manual(command, action->out);
	usage_print(command, action->out);
	return EXIT_OK;
}

const struct command command_help = {
	.name = "help",
	.summary = "list the commands, or show the manual of one",
	.description =
		"Lists the commands of fathom; with COMMAND, shows its manual page, or, where "
		"that is not installed or the output is no terminal, its options.",
	.operands = "[COMMAND]",
	.operand_words = OPERANDS_ARE_COMMANDS,
	.options = options,
	.run = cmd_help_run,
};

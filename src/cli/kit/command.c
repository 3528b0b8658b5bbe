/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/kit/command.h"

#include <stdio.h>

#include "base/quote.h"
#include "base/str.h"

const struct command *const *commands;

const char OPERANDS_ARE_COMMANDS[] = "";

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (str_eq(commands[i]->name, name) ||
		    (commands[i]->alias && str_eq(commands[i]->alias, name)))
			return commands[i];
	return NULL;
}

int command_unknown(const char *name)
{
	struct nearest nearest = { .wanted = name };
	const char *meant;

	for (size_t i = 0; commands[i]; i++)
		nearest_offer(&nearest, commands[i]->name);
	meant = nearest_pick(&nearest);
	if (meant)
		quote_printf(stderr, "fathom: no command '%s'; did you mean '%s'?\n", name, meant);
	else
		quote_printf(stderr, "fathom: no command '%s'; 'fathom help' lists them\n", name);
	return EXIT_USAGE;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/kit/command.h"

#include <stdio.h>

#include "base/quote.h"
#include "base/str.h"

const struct command *const *commands;
const struct command_row *command_rows;

const char OPERANDS_ARE_COMMANDS[] = "";

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (str_eq(commands[i]->name, name) ||
		    (commands[i]->alias && str_eq(commands[i]->alias, name)))
			return commands[i];
	return NULL;
}

int command_unknown(struct nearest *nearest)
{
	const char *meant;

	for (size_t i = 0; commands[i]; i++)
		nearest_offer(nearest, commands[i]->name);
	meant = nearest_pick(nearest);
	if (meant)
		quote_printf(stderr, "fathom: no command '%s'; did you mean '%s'?\n",
			     nearest->wanted, meant);
	else
		quote_printf(stderr, "fathom: no command '%s'; 'fathom help' lists them\n",
			     nearest->wanted);
	return EXIT_USAGE;
}

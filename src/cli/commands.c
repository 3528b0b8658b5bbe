/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands. Adding one is its file and a line here. */
#include "cli/kit/command.h"

#include <stdio.h>

#include "base/quote.h"
#include "base/str.h"
#include "cli/kit/commands.h"

/* clang-format off */
const struct command *const commands[] = {
	&command_run,
	&command_record,
	&command_sample,
	&command_report,
	&command_explain,
	&command_export,
	&command_info,
	&command_summary,
	&command_replay,
	&command_tree,
	&command_tui,
	&command_flame,
	&command_diff,
	&command_syscalls,
	&command_sched,
	&command_offcpu,
	&command_critical,
	&command_stats,
	&command_irqs,
	&command_io,
	&command_recover,
	&command_convert,
	&command_split,
	&command_restore,
	&command_start,
	&command_stop,
	&command_restart,
	&command_show,
	&command_clear,
	&command_snapshot,
	&command_extract,
	&command_stream,
	&command_probe,
	&command_watch,
	&command_why,
	&command_stack,
	&command_set,
	&command_stat,
	&command_list,
	&command_doctor,
	&command_ps,
	&command_reset,
	&command_help,
	NULL,
};
/* clang-format on */

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

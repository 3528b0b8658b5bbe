/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands, in the order of the list. Adding one is its file and a line here. */
#ifndef FATHOM_CLI_KIT_COMMANDS_H
#define FATHOM_CLI_KIT_COMMANDS_H

#include "cli/kit/command.h"

/* clang-format off */
#define COMMANDS(X) \
	X(run) \
	X(record) \
	X(sample) \
	X(report) \
	X(explain) \
	X(export) \
	X(info) \
	X(summary) \
	X(replay) \
	X(tree) \
	X(tui) \
	X(flame) \
	X(diff) \
	X(syscalls) \
	X(sched) \
	X(offcpu) \
	X(critical) \
	X(stats) \
	X(irqs) \
	X(io) \
	X(recover) \
	X(convert) \
	X(split) \
	X(restore) \
	X(start) \
	X(stop) \
	X(restart) \
	X(show) \
	X(clear) \
	X(snapshot) \
	X(extract) \
	X(stream) \
	X(probe) \
	X(watch) \
	X(why) \
	X(stack) \
	X(set) \
	X(stat) \
	X(list) \
	X(doctor) \
	X(ps) \
	X(reset) \
	X(help)
/* clang-format on */

#define COMMANDS_DECLARE(name) extern const struct command command_##name;
COMMANDS(COMMANDS_DECLARE)
#undef COMMANDS_DECLARE

/* All of them, as main() wants them. */
extern const struct command *const all_commands[];

#endif

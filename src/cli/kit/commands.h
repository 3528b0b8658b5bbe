/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of commands, by group, in the order of the list. Each command is a file and a line
 * here.
 */
#ifndef FATHOM_CLI_KIT_COMMANDS_H
#define FATHOM_CLI_KIT_COMMANDS_H

#include "cli/kit/command.h"

/* clang-format off */
#define COMMANDS(GROUP, X) \
	GROUP("Observe a command") \
	X(run) \
	X(why) \
	GROUP("Record") \
	X(record) \
	X(sample) \
	X(stream) \
	X(start) \
	X(stop) \
	X(restart) \
	X(snapshot) \
	X(extract) \
	GROUP("Look") \
	X(summary) \
	X(report) \
	X(tui) \
	X(replay) \
	X(tree) \
	X(flame) \
	X(syscalls) \
	X(offcpu) \
	X(critical) \
	X(sched) \
	X(irqs) \
	X(io) \
	X(stats) \
	X(diff) \
	X(info) \
	X(show) \
	GROUP("Ask") \
	X(doctor) \
	X(list) \
	X(explain) \
	X(help) \
	GROUP("Probe") \
	X(probe) \
	X(watch) \
	X(stack) \
	X(count) \
	GROUP("Convert") \
	X(export) \
	X(convert) \
	X(split) \
	X(recover) \
	X(restore) \
	GROUP("Manage") \
	X(ps) \
	X(stat) \
	X(set) \
	X(clear) \
	X(reset)
/* clang-format on */

#define COMMANDS_NO_GROUP(title)
#define COMMANDS_DECLARE(name) extern const struct command command_##name;
COMMANDS(COMMANDS_NO_GROUP, COMMANDS_DECLARE)
#undef COMMANDS_DECLARE

/* For main(), see command.h. */
extern const struct command *const all_commands[];
extern const struct command_row all_rows[];

#endif

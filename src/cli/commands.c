/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/kit/commands.h"

#include <stddef.h>

#define COMMANDS_ADDRESS(name)	   &command_##name,
#define COMMANDS_GROUP_ROW(title)  { .group = (title) },
#define COMMANDS_COMMAND_ROW(name) { .command = &command_##name },

const struct command *const all_commands[] = { COMMANDS(COMMANDS_NO_GROUP, COMMANDS_ADDRESS) NULL };

const struct command_row all_rows[] = { COMMANDS(COMMANDS_GROUP_ROW, COMMANDS_COMMAND_ROW){ 0 } };

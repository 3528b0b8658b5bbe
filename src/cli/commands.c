/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/kit/commands.h"

#include <stddef.h>

#define COMMANDS_ADDRESS(name) &command_##name,

const struct command *const all_commands[] = { COMMANDS(COMMANDS_ADDRESS) NULL };

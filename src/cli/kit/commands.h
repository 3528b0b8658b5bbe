/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands by name, for the table in commands.c. */
#ifndef FATHOM_CLI_KIT_COMMANDS_H
#define FATHOM_CLI_KIT_COMMANDS_H

#include "cli/kit/command.h"

/* All of them, as main() wants them. */
extern const struct command *const all_commands[];

extern const struct command command_clear;
extern const struct command command_convert;
extern const struct command command_critical;
extern const struct command command_diff;
extern const struct command command_doctor;
extern const struct command command_explain;
extern const struct command command_export;
extern const struct command command_extract;
extern const struct command command_help;
extern const struct command command_info;
extern const struct command command_io;
extern const struct command command_irqs;
extern const struct command command_list;
extern const struct command command_offcpu;
extern const struct command command_record;
extern const struct command command_recover;
extern const struct command command_replay;
extern const struct command command_report;
extern const struct command command_probe;
extern const struct command command_ps;
extern const struct command command_reset;
extern const struct command command_restore;
extern const struct command command_run;
extern const struct command command_sample;
extern const struct command command_split;
extern const struct command command_restart;
extern const struct command command_sched;
extern const struct command command_set;
extern const struct command command_show;
extern const struct command command_snapshot;
extern const struct command command_stack;
extern const struct command command_start;
extern const struct command command_stat;
extern const struct command command_summary;
extern const struct command command_stats;
extern const struct command command_syscalls;
extern const struct command command_tree;
extern const struct command command_tui;
extern const struct command command_flame;
extern const struct command command_stop;
extern const struct command command_stream;
extern const struct command command_watch;
extern const struct command command_why;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands. Adding one is its file and a line here. */
#include "cli/kit/commands.h"

#include <stddef.h>

/* clang-format off */
const struct command *const all_commands[] = {
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

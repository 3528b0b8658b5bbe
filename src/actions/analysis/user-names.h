/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for addresses of programs, for commands that show one recording: the processes that look for
 * them, in files that only the recording names.
 */
#ifndef FATHOM_ACTIONS_ANALYSIS_USER_NAMES_H
#define FATHOM_ACTIONS_ANALYSIS_USER_NAMES_H

#include "actions/action.h"
#include "actions/analysis/analysis-input.h"
#include "actions/names/line-helper.h"
#include "process/broker.h"
#include "symbols/user/user-symbols.h"

struct user_names {
	struct broker broker;
	struct line_helper helper;
	struct user_symbols symbols;
};

/* What a variable starts as. */
#define USER_NAMES_NONE                                           \
	{                                                         \
		.broker = BROKER_NONE, .helper = LINE_HELPER_NONE \
	}

/* As analysis_input_begin(): opens the file, enters the sandbox, and reads there; names can be asked for then. */
int user_names_begin(struct user_names *names, struct analysis_input *input,
		     struct report_args *args, const char *path, struct fathom_err *err);
/* Says which files the process that reads debug info failed on, if any. */
void user_names_tell(const struct user_names *names, const struct action *action);
void user_names_done(struct user_names *names);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbolization of user addresses, for commands that show one recording: owns the processes that
 * read the files named by the recording.
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

/* The initial value. */
#define USER_NAMES_NONE                                           \
	{                                                         \
		.broker = BROKER_NONE, .helper = LINE_HELPER_NONE \
	}

/*
 * Like analysis_input_begin(): opens the file, enters the sandbox and reads the file. Afterwards
 * names can be resolved.
 */
int user_names_begin(struct user_names *names, struct analysis_input *input,
		     struct report_args *args, const char *path, struct fathom_err *err);
/* Reports the files on which the line helper failed, if any. */
void user_names_report(const struct user_names *names, const struct action *action);
void user_names_done(struct user_names *names);

#endif

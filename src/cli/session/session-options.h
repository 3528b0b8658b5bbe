/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that select a detached session, and buffers of it. A command's arguments start with a
 * struct session_args.
 */
#ifndef FATHOM_CLI_SESSION_SESSION_OPTIONS_H
#define FATHOM_CLI_SESSION_SESSION_OPTIONS_H

#include "actions/session/session-use.h"
#include "cli/kit/option.h"

int session_arg_buffer(void *args, const char *value, struct fathom_err *err);

#define SESSION_OPTION                                               \
	OPT_STRING(0, "session", "ID", struct session_args, session, \
		   "use this session, see 'fathom ps' (default: the only one)")

#define BUFFER_OPTIONS                                                \
	SESSION_OPTION,                                               \
		OPT_CALL('B', "buffer", "BUFFER", session_arg_buffer, \
			 "only this buffer; can be repeated"),        \
		OPT_FLAG('a', NULL, struct session_args, named,       \
			 "all buffers except the main one"),          \
		OPT_FLAG('t', NULL, struct session_args, main,        \
			 "the main buffer, in addition to -B or -a")

#endif

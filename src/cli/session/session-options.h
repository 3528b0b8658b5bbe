/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that say which kept session a command is about, and which of its buffers. A
 * command's arguments begin with a struct session_args.
 */
#ifndef FATHOM_CLI_SESSION_SESSION_OPTIONS_H
#define FATHOM_CLI_SESSION_SESSION_OPTIONS_H

#include "actions/session/session-use.h"
#include "cli/kit/option.h"

int session_arg_buffer(void *args, const char *value, struct fathom_err *err);

#define SESSION_OPTION                                                  \
	OPT_STRING(0, "session", "ID", struct session_args, session,    \
		   "this session, as 'fathom ps' lists it; not needed " \
		   "when one only is kept")

#define BUFFER_OPTIONS                                                                           \
	SESSION_OPTION,                                                                          \
		OPT_CALL('B', NULL, "BUFFER", session_arg_buffer,                                \
			 "this buffer only; may be given several times"),                        \
		OPT_FLAG('a', NULL, struct session_args, named, "all buffers but the main one"), \
		OPT_FLAG('t', NULL, struct session_args, main,                                   \
			 "the main buffer, also with -B or -a")

#endif

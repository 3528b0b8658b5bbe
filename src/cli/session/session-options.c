/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/session/session-options.h"

#include "base/err.h"

int session_arg_buffer(void *args, const char *value, struct fathom_err *err)
{
	struct session_args *session = args;

	return plan_words_add(&session->buffers, value) < 0 ? err_nomem(err) : 0;
}

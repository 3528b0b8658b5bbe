/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that does for the viewer what the viewer may not, once it is in the sandbox: it is asked in
 * words, and answers with text. What it does with them is decided by the function that it was started with, which
 * has to take them as what they are: words from a reader of hostile bytes.
 */
#ifndef FATHOM_TUI_HELPER_H
#define FATHOM_TUI_HELPER_H

#include <stdbool.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/strbuf.h"
#include "process/helper-process.h"

/* Longer requests are not sent, and longer answers are cut. */
#define HELPER_TEXT_MAX (1U << 20)

/* Answers @request in @answer. 0 or a negative errno, which is told; then the text says why. Runs in the helper. */
typedef int helper_answer(void *data, const char *request, struct strbuf *answer);

struct helper {
	struct helper_process process;
	uint32_t asked; /* number of the last request */
	struct strbuf got; /* of an answer that has not come whole */
};

#define HELPER_NONE                            \
	{                                      \
		.process = HELPER_PROCESS_NONE \
	}

/* To be called before the sandbox is entered. The helper has no capabilities. 0 or a negative errno. */
int helper_start(struct helper *helper, helper_answer *answer, void *data, struct fathom_err *err);
/* Waits until what it was asked for is done. NULL is fine. */
void helper_done(struct helper *helper);

/* Asks; what was asked before is not answered any more. 0 or a negative errno: -ENOENT: there is no helper. */
int helper_ask(struct helper *helper, const char *request);
/*
 * Waits for the answer for up to @timeout_ms, -1: for as long as it takes. 1: there is none yet. Else the
 * text is in @ret_answer, and the result is that of the function; -EPIPE: it has ended.
 */
int helper_wait(struct helper *helper, int timeout_ms, struct strbuf *ret_answer);

#endif

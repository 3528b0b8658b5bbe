/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that does what the viewer cannot do in the sandbox. The viewer sends requests as text
 * and gets text back. The function with which the helper was started carries them out; it must
 * treat requests as untrusted, because the viewer parses untrusted files. Not thread-safe.
 */
#ifndef FATHOM_TUI_HELPER_H
#define FATHOM_TUI_HELPER_H

#include <stdint.h>

#include <fathom/err.h>

#include "base/strbuf.h"
#include "process/helper-process.h"

/* Longer requests fail with -E2BIG; longer answers are cut. */
#define HELPER_TEXT_MAX (1U << 20)

/*
 * Answers @request in @answer. Returns 0 or a negative errno, which helper_wait() returns; in that
 * case, the text says why. Runs in the helper.
 */
typedef int helper_answer(void *data, const char *request, struct strbuf *answer);

struct helper {
	struct helper_process process;
	uint32_t asked; /* number of the last request */
	struct strbuf got; /* part of an answer that is not yet complete */
};

#define HELPER_NONE                            \
	{                                      \
		.process = HELPER_PROCESS_NONE \
	}

/*
 * Starts the helper; to be called before the sandbox is entered. The helper keeps only the
 * capabilities that starting programs as the caller requires. Returns 0 or a negative errno.
 * Ignores SIGPIPE from now on.
 */
int helper_start(struct helper *helper, helper_answer *answer, void *data, struct fathom_err *err);
/* Waits until the helper has finished its work and exited. @helper may be NULL. */
void helper_done(struct helper *helper);

/*
 * Sends a request, and gives up waiting for the answer to the one before. Returns 0 or a negative
 * errno; -ENOENT if there is no helper.
 */
int helper_ask(struct helper *helper, const char *request);
/*
 * Waits up to @timeout_ms for the answer; -1: without limit. Returns 1 if there is none yet.
 * Otherwise, the text is in @ret_answer, and the result is that of the function; -EPIPE: the helper
 * has exited; -ENOENT: there is none.
 */
int helper_wait(struct helper *helper, int timeout_ms, struct strbuf *ret_answer);

#endif

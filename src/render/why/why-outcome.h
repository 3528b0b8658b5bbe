/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the command of 'fathom why' ended, and what its failed calls have to do with it. */
#ifndef FATHOM_RENDER_WHY_WHY_OUTCOME_H
#define FATHOM_RENDER_WHY_WHY_OUTCOME_H

#include "analyze/why/failures.h"
#include "render/kit/json.h"
#include "render/kit/out.h"
#include "symbols/user/user-symbols.h"

/*
 * "cat failed with exit code 1: the file is not there.", and what it wrote; nothing if the end is not known. @shown: failures
 * that matter; @cause: what the first of them means, or NULL; @causes: rules, or NULL; @users: names for addresses. 0 or
 * -ENOMEM.
 */
int why_put_outcome(const struct failures *failures, const struct meanings *causes,
		    struct user_symbols *users, size_t shown, const char *cause, struct out *out);
/* "cat-158 (ended with 1)", if it was not the command itself that made the call; else nothing. */
void why_put_process(const struct failures *failures, const struct failure *failure,
		     struct strbuf *text);
/* Failures that do not matter, one line each. */
void why_put_others(const struct failures *failures, struct out *out);
/* Why it matters, and what speaks against that. False: nothing is known, and nothing is put. */
bool why_put_evidence(const struct evidence *evidence, struct strbuf *text);
void why_json_outcome(const struct failures *failures, const struct meanings *causes,
		      struct user_symbols *users, struct json *json);
/* How the command ended that is compared with, and whether that counts. */
void why_json_compared(const struct failures *compared, struct json *json);
void why_json_evidence(const struct evidence *evidence, struct json *json);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the command of `fathom why` ended, and how that relates to the system calls that failed.
 * Parts of the screen and of the JSON of why.h.
 */
#ifndef FATHOM_RENDER_WHY_WHY_OUTCOME_H
#define FATHOM_RENDER_WHY_WHY_OUTCOME_H

#include "analyze/why/failures.h"
#include "render/kit/json.h"
#include "render/kit/out.h"
#include "symbols/user/user-symbols.h"

/*
 * Prints "cat failed with exit status 1: no such file", and the message that the command wrote;
 * prints nothing if its end is unknown. @shown is the number of failures that are shown, @cause the
 * meaning of the first one, or NULL. @causes, the rules for hints, may be NULL. Returns 0 or
 * -ENOMEM.
 */
int why_put_outcome(const struct failures *failures, const struct meanings *causes,
		    struct user_symbols *users, size_t shown, const char *cause, struct out *out);
/* Appends "cat-158 (exit status 1)" if another process than the command made the call. */
void why_put_process(const struct failures *failures, const struct failure *failure,
		     struct strbuf *text);
/* Prints a line for each failure that did not matter, up to a limit. */
void why_put_others(const struct failures *failures, struct out *out);
/*
 * Appends the evidence for a failure being the cause, and against it. Returns false and appends
 * nothing if there is none.
 */
bool why_put_evidence(const struct evidence *evidence, struct strbuf *text);
void why_json_outcome(const struct failures *failures, const struct meanings *causes,
		      struct user_symbols *users, struct json *json);
/*
 * Appends the end of the command that is compared with, and whether it is usable, that is, whether
 * it succeeded.
 */
void why_json_compared(const struct failures *compared, struct json *json);
void why_json_evidence(const struct evidence *evidence, struct json *json);

#endif

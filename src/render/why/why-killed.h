/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The place in the program at which a process caused the signal that killed it. Names of functions
 * and source lines come from @users, which may read files.
 */
#ifndef FATHOM_RENDER_WHY_WHY_KILLED_H
#define FATHOM_RENDER_WHY_WHY_KILLED_H

#include "analyze/why/failures.h"
#include "render/kit/json.h"
#include "symbols/user/user-symbols.h"

/*
 * Returns a description of the fault, such as " (null pointer)", or "" if that is unknown. The
 * string is static.
 */
const char *why_killed_page(const struct evidence_page *page);
/*
 * Returns the stack of a process that a signal killed, or NULL if it is unknown. It belongs to
 * @failures.
 */
const struct user_stack *why_killed_stack(const struct failures *failures,
					  const struct process *process,
					  const struct process_ending *ending);
/*
 * Appends ", in main() of app at app.c:12", for the innermost function of the program itself or, if
 * there is none, of a library; before that, ", code of app" if it accessed that. Appends nothing if
 * the place is unknown.
 */
void why_killed_put(struct strbuf *text, const struct failures *failures,
		    struct user_symbols *users, const struct user_stack *stack,
		    const struct process *process);
/* Appends the same to the open object of the process. */
void why_killed_json(struct json *json, const struct failures *failures, struct user_symbols *users,
		     const struct user_stack *stack, const struct process *process);

#endif

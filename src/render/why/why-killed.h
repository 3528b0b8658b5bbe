/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in its program a process was that a signal killed for what it did. */
#ifndef FATHOM_RENDER_WHY_WHY_KILLED_H
#define FATHOM_RENDER_WHY_WHY_KILLED_H

#include "analyze/why/failures.h"
#include "render/kit/json.h"
#include "symbols/user/user-symbols.h"

/* " (a null pointer)": what is wrong with the page; empty if that is not known. */
const char *why_killed_page(const struct evidence_page *page);
/* The stack of a process that ended so; NULL: it is not known. */
const struct user_stack *why_killed_stack(const struct failures *failures,
					  const struct process *process,
					  const struct process_ending *ending);
/*
 * ", in main() of app at app.c:12": the innermost function of the program itself, or else of all; before that ", code of app"
 * if that is what it accessed. Nothing if nothing is known.
 */
void why_killed_put(struct strbuf *text, const struct failures *failures,
		    struct user_symbols *users, const struct user_stack *stack,
		    const struct process *process);
/* Members of the object of the process. */
void why_killed_json(struct json *json, const struct failures *failures, struct user_symbols *users,
		     const struct user_stack *stack, const struct process *process);

#endif

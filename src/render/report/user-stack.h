/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in a program a system call was called from. */
#ifndef FATHOM_RENDER_REPORT_USER_STACK_H
#define FATHOM_RENDER_REPORT_USER_STACK_H

#include "analyze/stream/user-stacks.h"
#include "base/strbuf.h"
#include "render/kit/json.h"
#include "symbols/user/user-symbols.h"

/*
 * "write [libc.so.6] ← main app.c:12 [app]", the innermost function first, as far as there is code. False: nothing
 * is known.
 */
bool user_stack_put(struct strbuf *buf, struct user_symbols *symbols,
		    const struct user_stack *stack, bool utf8);
/* An array of frames. */
void user_stack_json(struct json *json, const char *key, struct user_symbols *symbols,
		     const struct user_stack *stack);
/* What frame @i of the stack is in. False: there is no such frame, or no code. */
bool user_stack_find(struct user_symbols *symbols, const struct user_stack *stack, unsigned i,
		     struct user_symbol *ret_symbol);
/* One frame, as user_symbols_find() found it. */
void user_frame_json(struct json *json, struct user_symbols *symbols,
		     const struct user_symbol *symbol, uint64_t address);

#endif

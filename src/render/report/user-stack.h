/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders user stacks, which show where in a program an event or a system call originated. Symbols
 * and source lines come from @symbols, which may read files.
 */
#ifndef FATHOM_RENDER_REPORT_USER_STACK_H
#define FATHOM_RENDER_REPORT_USER_STACK_H

#include "analyze/stream/user-stacks.h"
#include "base/strbuf.h"
#include "render/kit/json.h"
#include "symbols/user/user-symbols.h"

/*
 * Appends "write [libc.so.6] ← main app.c:12 [app]", the innermost function first, up to the first
 * address without code, and says if the stack is incomplete. Returns false and appends nothing if
 * there is no such address.
 */
bool user_stack_put(struct strbuf *buf, struct user_symbols *symbols,
		    const struct user_stack *stack, bool utf8);
/* Appends an array @key with all frames. */
void user_stack_json(struct json *json, const char *key, struct user_symbols *symbols,
		     const struct user_stack *stack);
/* Looks up frame @i of the stack. Returns false if there is no such frame, or no code. */
bool user_stack_find(struct user_symbols *symbols, const struct user_stack *stack, unsigned i,
		     struct user_symbol *ret_symbol);
/* Appends a frame found by user_symbols_find() to the open array. */
void user_frame_json(struct json *json, struct user_symbols *symbols,
		     const struct user_symbol *symbol, uint64_t address);

#endif

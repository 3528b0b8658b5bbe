/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack of scopes. Each one narrows the one below it; the topmost applies to all views. */
#ifndef FATHOM_TUI_SCOPE_H
#define FATHOM_TUI_SCOPE_H

#include "tui/view.h"

#define SCOPES_MAX 16

struct scopes {
	struct scope list[SCOPES_MAX]; /* the first one is unlimited */
	unsigned n;
};

void scopes_init(struct scopes *scopes);
/*
 * Pushes the topmost scope narrowed by @what. Returns false if that would change nothing or leave
 * nothing, or if there are too many scopes; *@ret_why is the reason, a static string.
 */
bool scopes_push(struct scopes *scopes, const struct scope *what, const char **ret_why);
/* Removes the topmost scope. Returns false if nothing was pushed. */
bool scopes_pop(struct scopes *scopes);
const struct scope *scopes_top(const struct scopes *scopes);
/* Appends the limits, as "task ls-17 > CPU 1"; nothing if there are none. */
void scopes_put(const struct scopes *scopes, const struct tui *tui, struct strbuf *buf);

#endif
